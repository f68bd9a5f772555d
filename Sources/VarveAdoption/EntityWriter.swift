import VarveCore
import VarveStore

/// Makes entities have the values of rows, and ends those without one.
final class EntityWriter {
  let transaction: WriteTransaction
  /// The state at the adoption's time, if something later is stored.
  let past: TransactionPast?
  var report = AdoptionReport()

  /// Begins an adoption. Nothing must be written before.
  init(_ transaction: WriteTransaction) async throws {
    self.transaction = transaction
    past = try await transaction.past()
  }

  /// The state at the adoption's time, with which rows are compared.
  var reading: any Reading { past ?? transaction }

  /// Writes the differences between rows and the entities of their identifiers.
  ///
  /// - Parameters:
  ///   - batch: the rows.
  ///   - keys: the properties that they determine, in the order of their values.
  func write(_ batch: [AdoptedRow], keys: [PropertyKey]) async throws {
    try Task.checkCancellation()
    var created: [EntityType: [AdoptedRow]] = [:]
    let ids = batch.map(\.id)
    let entities = try await reading.entities(ids)
    let present = past == nil ? entities : try await transaction.entities(ids)
    for (row, (then, now)) in zip(batch, zip(entities, present)) {
      if let entity = then ?? now, entity.type != row.type {
        report.note("\(row.id): the type \(row.type): the entity is of type \(entity.type)")
      }
      if let then {
        try await change(then, to: row, keys: keys)
      } else if let now, let past {
        try await begin(now, in: past, as: row, keys: keys)
      } else {
        try await past?.refuseCreation(of: row.id)
        created[row.type, default: []].append(row)
      }
    }
    for (type, new) in created.sorted(by: { $0.key < $1.key }) {
      try await transaction.create(type, keys: keys, rows: new.map { ($0.id, $0.values) })
      report.createdCount += new.count
    }
  }

  private func change(
    _ entity: StoredEntity,
    to row: AdoptedRow,
    keys: [PropertyKey]
  ) async throws {
    let properties = entity.properties
    var changes: [PropertyKey: Value?] = [:]
    for (key, value) in zip(keys, row.values) where properties[key]?.value != value {
      changes.updateValue(value, forKey: key)
    }
    guard !changes.isEmpty else {
      report.unchangedCount += 1
      return
    }
    try await past?.refuseChange(of: row.id)
    try await transaction.set(row.id, changes)
    report.changedCount += 1
  }

  /// Makes an entity that was created later live from the adoption's time on. Its later data stays.
  private func begin(
    _ entity: StoredEntity,
    in past: TransactionPast,
    as row: AdoptedRow,
    keys: [PropertyKey]
  ) async throws {
    let then = try await transaction.begin(row.id, as: entity.type, in: past)
    var values: [PropertyKey: Value?] = [:]
    for (key, value) in zip(keys, row.values) where value != then?[key] {
      values.updateValue(value, forKey: key)
    }
    if !values.isEmpty { try await transaction.set(row.id, values) }
    report.createdCount += 1
  }

  /// Ends entities that have no row, all together.
  func end(_ ids: [EntityID]) async throws {
    guard !ids.isEmpty else { return }
    if let past {
      try await past.refuseErasure(of: ids, transaction.previewErasure(of: ids))
    }
    report.endedCount += try await transaction.erase(ids).count
  }
}
