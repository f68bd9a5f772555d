import VarveCore
import VarveStore

/// Counts the effects of an import on entities, each entity once.
final class ImportLedger {
  private let listsChanges: Bool
  /// Whether every change is compared with the result. If not, each entity is written once.
  private let comparesAll: Bool
  private var tallies = Tallies()
  private var changes: [EntityID: Pending] = [:]
  private var order: [EntityID] = []
  /// The existing entities that objects are about, and those that change.
  private var met = EntitySet()
  private var changed = EntitySet()

  fileprivate struct Pending {
    let type: EntityType
    var kind: ImportReport.Change.Kind
    /// The entity before the import; nil if it was not live.
    let former: StoredEntity?
    var properties: [PropertyKey: (old: Value?, new: Value?)] = [:]
    /// The elements of the written to-many relations before the import.
    var lists: [PropertyKey: [EntityID]?] = [:]
    /// The to-many relations that differ after the import.
    var collections: [PropertyKey: (old: [EntityID]?, new: [EntityID]?)] = [:]
    /// The relations of which edges were written.
    var edges: Set<PropertyKey> = []
    /// Whether the change is for a past time, so that the present state does not show it.
    var isDated = false
  }

  init(listsChanges: Bool, comparesAll: Bool) {
    self.listsChanges = listsChanges
    self.comparesAll = comparesAll
  }

  /// Records that an entity is created: by an object, or as a stub.
  func created(_ id: EntityID, _ draft: Draft) {
    let type = draft.mapping.mapping.entity
    if !draft.isStub { tallies.count(type) { $0.created += 1 } }
    _ = begin(id, type, .created, nil)
  }

  /// Records that an entity created later is now live from the import's time on.
  func began(_ id: EntityID, _ draft: Draft) {
    let type = draft.mapping.mapping.entity
    _ = changed.insert(id, nil)
    _ = met.insert(id, nil)
    tallies.count(type) { $0.created += 1 }
    if begin(id, type, .created, nil) { changes[id]?.isDated = true }
  }

  /// Records an object about a stub of this import; the stub now counts as created.
  func filled(_ draft: Draft) {
    tallies.count(draft.mapping.mapping.entity) { $0.created += 1 }
  }

  /// Records an object about an existing entity.
  func met(_ subject: Subject, _ draft: Draft) {
    guard !subject.isLater, met.insert(subject.id, subject.number),
      !changed.contains(subject.id, subject.number)
    else { return }
    tallies.count(draft.mapping.mapping.entity) { $0.unchanged += 1 }
  }

  /// Records a change of an existing entity.
  ///
  /// - Parameters:
  ///   - edges: the relations of which edges were written.
  ///   - isDated: whether it was written for a past time.
  func changed(_ change: NetChanges.Change, edges: Set<PropertyKey>, isDated: Bool) {
    let (id, number) = (change.id, change.entity?.number)
    if changed.insert(id, number) {
      tallies.count(change.type) { $0.changed += 1 }
      if met.contains(id, number) { tallies.count(change.type) { $0.unchanged -= 1 } }
    }
    guard begin(id, change.type, .changed, change.entity) else { return }
    changes[id]?.isDated = isDated
    changes[id]?.edges.formUnion(edges)
    for (key, value) in change.values {
      changes[id]?.properties[key] = (change.entity?[key], value)
    }
    for (key, relation) in change.relations where relation.link.relation.many != nil {
      if changes[id]?.lists[key] == nil { changes[id]?.lists[key] = .some(relation.former) }
    }
  }

  /// Records that an entity changes, if changes are kept; returns whether it is.
  private func begin(
    _ id: EntityID,
    _ type: EntityType,
    _ kind: ImportReport.Change.Kind,
    _ former: StoredEntity?
  ) -> Bool {
    guard listsChanges || comparesAll else { return false }
    if changes[id] != nil { return true }
    guard comparesAll || order.count < ImportReport.listedCount else { return false }
    order.append(id)
    changes[id] = Pending(type: type, kind: kind, former: former)
    return true
  }

  /// Records that an entity ends. Its other changes no longer count.
  func ended(_ death: ErasurePreview.Death, _ number: Int64?) {
    tallies.count(death.type) { $0.ended += 1 }
    if changed.contains(death.id, number) {
      tallies.count(death.type) { $0.changed -= 1 }
    } else if met.contains(death.id, number) {
      tallies.count(death.type) { $0.unchanged -= 1 }
    }
    guard begin(death.id, death.type, .ended, nil) else { return }
    changes[death.id] = Pending(type: death.type, kind: .ended, former: nil)
  }

  func put(into report: inout ImportReport, openStubs: Int) {
    report.byType = tallies.byType
    report.stubCount = openStubs
    for tally in report.byType.values {
      report.createdCount += tally.created
      report.changedCount += tally.changed
      report.unchangedCount += tally.unchanged
      report.endedCount += tally.ended
    }
    guard listsChanges else { return }
    report.changes = order.lazy.compactMap { [changes] id in
      changes[id].map {
        ImportReport.Change(
          id: id,
          type: $0.type,
          kind: $0.kind,
          properties: $0.properties,
          collections: $0.collections,
          relations: $0.relations
        )
      }
    }.prefix(ImportReport.listedCount).map(\.self)
  }
}

// MARK: The result

extension ImportLedger {
  /// Compares the recorded changes with what is stored at the end of the import, so that they are
  /// complete, and leaves out those without an effect.
  ///
  /// - Parameter past: the state at the time of a dated import.
  /// - Complexity: O(values of the recorded entities).
  func settle(in transaction: WriteTransaction, _ past: TransactionPast?) async throws {
    for id in order {
      guard var pending = changes[id], pending.kind != .ended else { continue }
      if !pending.isDated, let entity = try await transaction.entity(id) {
        pending.properties = Self.differences(pending.former, entity)
      }
      pending.collections = try await changedLists(id, pending, transaction, past)
      changes[id] = pending
      if pending.kind == .changed, pending.isNothing { dismiss(id, pending) }
    }
  }

  private static func differences(
    _ former: StoredEntity?,
    _ entity: StoredEntity
  ) -> [PropertyKey: (old: Value?, new: Value?)] {
    var differences: [PropertyKey: (old: Value?, new: Value?)] = [:]
    for key in Set(entity.keys).union(former?.keys ?? []) where former?[key] != entity[key] {
      differences[key] = (former?[key], entity[key])
    }
    return differences
  }

  /// Returns the to-many relations of an entity that differ from those before the import, and those
  /// that were written for a past time.
  private func changedLists(
    _ id: EntityID,
    _ pending: Pending,
    _ transaction: WriteTransaction,
    _ past: TransactionPast?
  ) async throws -> [PropertyKey: (old: [EntityID]?, new: [EntityID]?)] {
    var changed: [PropertyKey: (old: [EntityID]?, new: [EntityID]?)] = [:]
    if pending.isDated, let past {
      for (key, former) in pending.lists {
        changed[key] = (former, try await past.collection(of: id, key))
      }
      return changed
    }
    return try await transaction.reading { state in
      let reader = state.reader
      let isNew = pending.kind == .created
      let keys = isNew ? try await reader.collections(of: id) : Array(pending.lists.keys)
      for key in keys {
        let present =
          try await reader.isCollection(id, key)
          ? try await reader.elements(of: id, key: key).map(\.target) : nil
        let former = isNew ? nil : pending.lists[key] ?? nil
        if isNew || former != present { changed[key] = (former, present) }
      }
      return changed
    }
  }

  /// Discards a change that has no effect.
  private func dismiss(_ id: EntityID, _ pending: Pending) {
    changes[id] = nil
    tallies.count(pending.type) { $0.changed -= 1 }
    if met.contains(id, pending.former?.number) {
      tallies.count(pending.type) { $0.unchanged += 1 }
    }
  }
}

extension ImportLedger.Pending {
  /// The relations that change, apart from those of properties.
  fileprivate var relations: Set<PropertyKey> {
    edges.filter { properties[$0] == nil && collections[$0] == nil }
  }

  /// Whether nothing changes.
  fileprivate var isNothing: Bool { properties.isEmpty && collections.isEmpty && edges.isEmpty }
}
