import VarveCore
import VarveStore

/// New entities on their way into a transaction, many of one mapping at a time.
final class RowBatches {
  /// Where a row waits.
  struct Place {
    fileprivate let mapping: ObjectIdentifier
    fileprivate let generation: Int
    fileprivate let row: Int
  }

  private struct Batch {
    let mapping: CompiledMapping
    var rows: [(EntityID, [Value?])] = []
  }

  private let transaction: Transaction
  private var batches: [ObjectIdentifier: Batch] = [:]
  /// The mappings with rows, in the order of their first one.
  private var order: [ObjectIdentifier] = []
  private var generation = 0
  /// The identifiers that wait.
  private(set) var pending: Set<EntityID> = []

  init(_ transaction: Transaction) { self.transaction = transaction }

  func add(_ id: EntityID, _ values: [Value?], _ mapping: CompiledMapping) -> Place {
    let name = ObjectIdentifier(mapping)
    if batches[name]?.rows.isEmpty ?? true { order.append(name) }
    batches[name, default: Batch(mapping: mapping)].rows.append((id, values))
    pending.insert(id)
    let row = (batches[name]?.rows.count ?? 1) - 1
    return Place(mapping: name, generation: generation, row: row)
  }

  /// Fills a value in, if the row still waits; answers whether it does.
  func set(_ value: Value?, at column: Int, of place: Place) -> Bool {
    guard place.generation == generation else { return false }
    batches[place.mapping]?.rows[place.row].1[column] = value
    return true
  }

  /// Writes all that waits.
  func flush() async throws {
    guard !pending.isEmpty else { return }
    generation += 1
    pending.removeAll(keepingCapacity: true)
    for name in order {
      guard let batch = batches[name] else { continue }
      batches[name]?.rows.removeAll(keepingCapacity: true)
      try await transaction.create(
        batch.mapping.mapping.entity,
        keys: batch.mapping.keys,
        rows: batch.rows
      )
    }
    order.removeAll(keepingCapacity: true)
  }
}
