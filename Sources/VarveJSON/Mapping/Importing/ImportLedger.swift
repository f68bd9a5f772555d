import VarveCore
import VarveStore

/// Counts the effects of an import on entities, each entity once.
final class ImportLedger {
  private let listsChanges: Bool
  private var tallies: [EntityType: ImportReport.Tally] = [:]
  private var changes: [EntityID: Pending] = [:]
  private var order: [EntityID] = []
  /// The existing entities that objects are about, and those that change.
  private var met = EntitySet()
  private var changed = EntitySet()

  private struct Pending {
    let type: EntityType
    var kind: ImportReport.Change.Kind
    var properties: [PropertyKey: (old: Value?, new: Value?)] = [:]
  }

  init(listsChanges: Bool) { self.listsChanges = listsChanges }

  /// Records that an entity is created: by an object, or as a stub.
  func created(_ id: EntityID, _ draft: Draft) {
    let type = draft.mapping.mapping.entity
    if !draft.isStub { tallies[type, default: .init()].created += 1 }
    guard begin(id, type, .created) else { return }
    for (value, key) in zip(draft.values, draft.mapping.keys) {
      if let value { changes[id]?.properties[key] = (nil, value) }
    }
  }

  /// Records that an entity created later is now live from the import's time on.
  func began(_ id: EntityID, _ draft: Draft) {
    let type = draft.mapping.mapping.entity
    _ = changed.insert(id, nil)
    _ = met.insert(id, nil)
    tallies[type, default: .init()].created += 1
    _ = begin(id, type, .created)
  }

  /// Records an object about a stub of this import; the stub now counts as created.
  func filled(_ draft: Draft) {
    tallies[draft.mapping.mapping.entity, default: .init()].created += 1
  }

  /// Records an object about an existing entity.
  func met(_ subject: Subject, _ draft: Draft) {
    guard !subject.isLater, met.insert(subject.id, subject.number) else { return }
    tallies[draft.mapping.mapping.entity, default: .init()].unchanged += 1
  }

  /// Records a change of an existing entity.
  func changed(_ change: NetChanges.Change) {
    let (id, number) = (change.id, change.entity?.number)
    if changed.insert(id, number) {
      tallies[change.type, default: .init()].changed += 1
      if met.contains(id, number) { tallies[change.type, default: .init()].unchanged -= 1 }
    }
    guard begin(id, change.type, .changed) else { return }
    for (key, value) in change.values {
      changes[id]?.properties[key] = (change.entity?[key], value)
    }
    for key in change.relations.keys where changes[id]?.properties[key] == nil {
      changes[id]?.properties[key] = (nil, nil)
    }
  }

  /// Records that an entity changes, if changes are listed; returns whether it is listed.
  private func begin(_ id: EntityID, _ type: EntityType, _ kind: ImportReport.Change.Kind) -> Bool {
    guard listsChanges else { return false }
    if changes[id] != nil { return true }
    guard order.count < ImportReport.listedCount else { return false }
    order.append(id)
    changes[id] = Pending(type: type, kind: kind)
    return true
  }

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
