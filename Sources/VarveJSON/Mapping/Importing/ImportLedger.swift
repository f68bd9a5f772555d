import VarveCore
import VarveStore

/// Counts what an import does to entities, each once in a part of the document: memory does not grow
/// with what was met.
final class ImportLedger {
  private let listsChanges: Bool
  private var tallies: [EntityType: ImportReport.Tally] = [:]
  private var changes: [EntityID: Pending] = [:]
  private var order: [EntityID] = []

  private struct Pending {
    let type: EntityType
    var kind: ImportReport.Change.Kind
    var properties: [PropertyKey: (old: Value?, new: Value?)] = [:]
  }

  init(listsChanges: Bool) { self.listsChanges = listsChanges }

  func created(_ subject: Subject, _ draft: Draft) {
    let type = draft.mapping.mapping.entity
    if !draft.isStub {
      subject.fate = .created
      tallies[type, default: .init()].created += 1
    }
    guard begin(subject.id, type, .created) else { return }
    for (value, key) in zip(draft.values, draft.mapping.keys) {
      if let value { changes[subject.id]?.properties[key] = (nil, value) }
    }
  }

  /// An object is about an entity there was; or about a stub of this import, which is new with it.
  func met(_ subject: Subject, _ draft: Draft, isNew: Bool) {
    guard subject.fate == nil else { return }
    let type = draft.mapping.mapping.entity
    subject.fate = isNew ? .created : .unchanged
    if isNew {
      tallies[type, default: .init()].created += 1
    } else {
      tallies[type, default: .init()].unchanged += 1
    }
  }

  func changed(
    _ subject: Subject,
    _ mapping: CompiledMapping,
    _ old: Entity,
    _ written: [PropertyKey: Value?]
  ) {
    let (id, type) = (subject.id, mapping.mapping.entity)
    change(subject, type)
    guard begin(id, type, .changed) else { return }
    for (key, value) in written {
      let before = changes[id]?.properties[key].map(\.old) ?? old[key]
      changes[id]?.properties[key] = (before, value)
    }
  }

  /// A relation to many was written.
  func related(_ subject: Subject, _ mapping: CompiledMapping, _ key: PropertyKey) {
    let (id, type) = (subject.id, mapping.mapping.entity)
    change(subject, type)
    guard begin(id, type, .changed), changes[id]?.properties[key] == nil else { return }
    changes[id]?.properties[key] = (nil, nil)
  }

  private func change(_ subject: Subject, _ type: EntityType) {
    guard subject.fate == .unchanged else { return }
    subject.fate = .changed
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
