import VarveCore
import VarveStore

/// Counts what an import does to entities, each once in a part of the document.
final class ImportLedger {
  private enum Fate {
    case created
    case changed
    case unchanged
  }

  private let listsChanges: Bool
  private var tallies: [EntityType: ImportReport.Tally] = [:]
  /// What became of the entities met in the present part of the document.
  private var fates: [EntityID: Fate] = [:]
  private var changes: [EntityID: Pending] = [:]
  private var order: [EntityID] = []

  private struct Pending {
    let type: EntityType
    var kind: ImportReport.Change.Kind
    var properties: [PropertyKey: (old: Value?, new: Value?)] = [:]
  }

  init(listsChanges: Bool) { self.listsChanges = listsChanges }

  func created(_ id: EntityID, _ draft: Draft) {
    let type = draft.mapping.mapping.entity
    if !draft.isStub {
      fates[id] = .created
      tallies[type, default: .init()].created += 1
    }
    guard begin(id, type, .created) else { return }
    for (slot, key) in zip(draft.slots, draft.mapping.keys) {
      if case .value(let value) = slot { changes[id]?.properties[key] = (nil, value) }
    }
  }

  /// An object is about an entity there was; or about a stub of this import, which is new with it.
  func met(_ id: EntityID, _ draft: Draft, isNew: Bool) {
    guard fates[id] == nil else { return }
    let type = draft.mapping.mapping.entity
    fates[id] = isNew ? .created : .unchanged
    if isNew {
      tallies[type, default: .init()].created += 1
    } else {
      tallies[type, default: .init()].unchanged += 1
    }
  }

  func changed(
    _ id: EntityID,
    _ mapping: CompiledMapping,
    _ old: Entity,
    _ written: [PropertyKey: Value?]
  ) {
    let type = mapping.mapping.entity
    change(id, type)
    guard begin(id, type, .changed) else { return }
    for (key, value) in written {
      let before = changes[id]?.properties[key].map(\.old) ?? old[key]
      changes[id]?.properties[key] = (before, value)
    }
  }

  /// A relation to many was written.
  func related(_ id: EntityID, _ mapping: CompiledMapping, _ key: PropertyKey) {
    let type = mapping.mapping.entity
    change(id, type)
    guard begin(id, type, .changed), changes[id]?.properties[key] == nil else { return }
    changes[id]?.properties[key] = (nil, nil)
  }

  private func change(_ id: EntityID, _ type: EntityType) {
    guard fates[id] == .unchanged else { return }
    fates[id] = .changed
    tallies[type, default: .init()].unchanged -= 1
    tallies[type, default: .init()].changed += 1
  }

  /// Notes that an entity changes, where that is asked for; answers whether it is listed.
  private func begin(_ id: EntityID, _ type: EntityType, _ kind: ImportReport.Change.Kind) -> Bool {
    guard listsChanges else { return false }
    if changes[id] != nil { return true }
    guard order.count < ImportReport.listedCount else { return false }
    order.append(id)
    changes[id] = Pending(type: type, kind: kind)
    return true
  }

  /// What was met is forgotten, so that memory does not grow with the document: an entity that
  /// objects far apart are about is counted again.
  func endPart() { fates.removeAll(keepingCapacity: true) }

  func ended(_ deaths: [ErasurePreview.Death]) {
    for death in deaths {
      tallies[death.type, default: .init()].ended += 1
      if begin(death.id, death.type, .ended) { changes[death.id]?.kind = .ended }
    }
  }

  func put(into report: inout ImportReport, openStubs: Int) {
    report.byType = tallies
    report.stubCount = openStubs
    for tally in tallies.values {
      report.createdCount += tally.created
      report.changedCount += tally.changed
      report.unchangedCount += tally.unchanged
      report.endedCount += tally.ended
    }
    report.changes = order.compactMap { id in
      changes[id].map {
        ImportReport.Change(id: id, type: $0.type, kind: $0.kind, properties: $0.properties)
      }
    }
  }
}
