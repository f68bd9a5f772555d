import VarveCore
import VarveJSON
import VarveStore

/// An import whose report, and that of a dry run before it, are compared with the states.
struct ComparedImport {
  let report: ImportReport
  /// The to-many relations from which the import removed elements. If those were dead, no reader
  /// sees a difference.
  private var emptied: Set<Slot> = []
  /// The to-many relations to which the import added elements. They differ on their own, even if
  /// the elements are new entities.
  private var grown: Set<Slot> = []
  /// The differences between the reports and the states.
  private(set) var differences: [String] = []

  private struct Slot: Hashable {
    let entity: EntityID
    let key: PropertyKey
  }

  init(_ text: String, by mappings: Mappings, into store: Store) async throws {
    var options = ImportOptions()
    options.isDryRun = true
    let dry = try await store.import(DocumentSource(text: text), by: mappings, options)
    let before = try await store.frontier()
    report = try await store.import(DocumentSource(text: text), by: mappings)
    let actual = try await store.diff(from: .frontier(before))
    for change in dry.changes where change.kind == .changed {
      for key in change.keys {
        for version in try await store.history(of: change.id, key)
        where version.commit.id == report.commit?.id {
          guard case .remove = version.content else { continue }
          emptied.insert(Slot(entity: change.id, key: key))
        }
      }
    }
    for entity in actual.changed {
      for list in entity.collections {
        for version in try await store.history(of: entity.id, list.key)
        where version.commit.id == report.commit?.id {
          guard case .add = version.content else { continue }
          grown.insert(Slot(entity: entity.id, key: list.key))
        }
      }
    }
    compare(dry, actual, mappings)
    for (name, one, other) in [
      ("created", dry.createdCount, report.createdCount),
      ("changed", dry.changedCount, report.changedCount),
      ("unchanged", dry.unchangedCount, report.unchangedCount),
      ("ended", dry.endedCount, report.endedCount), ("stubs", dry.stubCount, report.stubCount),
    ] where one != other {
      differences.append("the dry run says \(one) \(name), the import \(other)")
    }
  }

  private mutating func compare(_ dry: ImportReport, _ actual: Difference, _ mappings: Mappings) {
    let turned = Set((actual.added + actual.ended).map(\.id))
    let changed = actual.changed.filter { isOwnChange($0, besides: turned) }
    let seen = Set(changed.map(\.id))
    let unseen = dry.changes.filter { change in
      change.kind == .changed && !seen.contains(change.id)
        && change.keys.allSatisfy {
          emptied.contains(Slot(entity: change.id, key: $0))
        }
    }.map(\.id)
    expect(dry.createdCount + dry.stubCount, "created", actual.added.count)
    expect(dry.changedCount, "changed", changed.count + unseen.count)
    expect(dry.endedCount, "ended", actual.ended.count)
    let lists: [(ImportReport.Change.Kind, [EntityDifference])] = [
      (.created, actual.added), (.changed, changed), (.ended, actual.ended),
    ]
    for (kind, entities) in lists {
      let listed = dry.changes.filter { $0.kind == kind && !unseen.contains($0.id) }
      let names = (listed.map(\.id).sorted(), entities.map(\.id).sorted())
      if names.0 != names.1 { differences.append("\(kind): listed \(names.0), in fact \(names.1)") }
      guard kind != .ended else { continue }
      for change in listed {
        guard let entity = entities.first(where: { $0.id == change.id }) else { continue }
        compare(change, entity, besides: turned)
      }
    }
  }

  private mutating func expect(_ count: Int, _ name: String, _ actual: Int) {
    if count != actual { differences.append("\(count) counted as \(name), in fact \(actual)") }
  }

  private mutating func compare(
    _ change: ImportReport.Change,
    _ entity: EntityDifference,
    besides turned: Set<EntityID>
  ) {
    for property in entity.properties {
      guard let listed = change.properties[property.key] else {
        differences.append("\(change.id).\(property.key) is not listed")
        continue
      }
      if listed.old != property.old?.value || listed.new != property.new?.value {
        differences.append("\(change.id).\(property.key) is listed as \(listed)")
      }
    }
    for list in entity.collections
    where change.collections[list.key] == nil && isOwnChange(list, of: entity, besides: turned) {
      differences.append("\(change.id).\(list.key) is not listed")
    }
    let known = Set(
      entity.properties.map(\.key) + entity.collections.map(\.key)
        + (entity.related + entity.unrelated).map(\.relation.name)
    )
    for key in change.keys
    where !known.contains(key) && !emptied.contains(Slot(entity: change.id, key: key)) {
      differences.append("\(change.id).\(key) is listed, and did not change")
    }
  }

  /// Returns whether an entity differs by more than the lives of its targets.
  private func isOwnChange(_ entity: EntityDifference, besides turned: Set<EntityID>) -> Bool {
    !entity.properties.isEmpty
      || entity.collections.contains { isOwnChange($0, of: entity, besides: turned) }
      || (entity.related + entity.unrelated).contains { !turned.contains($0.target) }
  }

  /// Returns whether a to-many relation differs by more than the lives of its elements.
  private func isOwnChange(
    _ list: ElementsDifference,
    of entity: EntityDifference,
    besides turned: Set<EntityID>
  ) -> Bool {
    !list.isEqual(besides: turned) || grown.contains(Slot(entity: entity.id, key: list.key))
  }
}

extension ElementsDifference {
  /// Whether the lists differ only by elements that came to life or died.
  fileprivate func isEqual(besides turned: Set<EntityID>) -> Bool {
    guard let old, let new else { return false }
    return old.filter { !turned.contains($0) } == new.filter { !turned.contains($0) }
  }
}
