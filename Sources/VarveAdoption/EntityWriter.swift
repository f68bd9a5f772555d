import VarveCore
import VarveStore

/// Creates and changes entities so that they have the values of rows.
final class EntityWriter {
  let transaction: WriteTransaction
  var report = AdoptionReport()

  init(_ transaction: WriteTransaction) { self.transaction = transaction }

  /// Writes the differences between rows and the entities of their identifiers.
  ///
  /// - Parameters:
  ///   - batch: the rows.
  ///   - keys: the properties that they determine, in the order of their values.
  func write(_ batch: [AdoptedRow], keys: [PropertyKey]) async throws {
    try Task.checkCancellation()
    var created: [EntityType: [AdoptedRow]] = [:]
    let entities = try await transaction.entities(batch.map(\.id))
    for (row, entity) in zip(batch, entities) {
      if let entity {
        if entity.type != row.type {
          report.note("\(row.id): it is of type \(entity.type), which its row does not change")
        }
        try await change(entity, to: row, keys: keys)
      } else {
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
    try await transaction.set(row.id, changes)
    report.changedCount += 1
  }
}
