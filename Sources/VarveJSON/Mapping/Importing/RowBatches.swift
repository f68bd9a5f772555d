import VarveCore
import VarveStore

/// New entities on their way into a transaction, many of one mapping at a time.
final class RowBatches {
  /// Where a row waits.
  struct Place {
    fileprivate let batch: Batch
    fileprivate let generation: Int
    fileprivate let row: Int
  }

  fileprivate final class Batch {
    let mapping: CompiledMapping
    var rows: [(EntityID, [Value?])] = []

    init(_ mapping: CompiledMapping) { self.mapping = mapping }
  }

  private let transaction: Transaction
  /// Those with rows, in the order of their first one.
  private var batches: [Batch] = []
  private var generation = 0

  init(_ transaction: Transaction) { self.transaction = transaction }

  func add(_ id: EntityID, _ values: [Value?], _ mapping: CompiledMapping) -> Place {
    let batch: Batch
    if let known = batches.last(where: { $0.mapping === mapping }) {
      batch = known
    } else {
      batch = Batch(mapping)
      batches.append(batch)
    }
    batch.rows.append((id, values))
    return Place(batch: batch, generation: generation, row: batch.rows.count - 1)
  }

  /// Whether a row still waits.
  func isWaiting(_ place: Place?) -> Bool { place?.generation == generation }

  /// Fills a value in, if a row of the mapping still waits; answers whether it does.
  func set(_ value: Value?, at column: Int, of place: Place?, _ mapping: CompiledMapping) -> Bool {
    guard let place, isWaiting(place), place.batch.mapping === mapping else { return false }
    place.batch.rows[place.row].1[column] = value
    return true
  }

  /// Fills in what an object says, if a row of its mapping still waits; answers whether it does.
  func fill(_ place: Place?, _ draft: Draft) -> Bool {
    guard let place, isWaiting(place), place.batch.mapping === draft.mapping else { return false }
    for (index, value) in draft.said { place.batch.rows[place.row].1[index] = value }
    return true
  }

  /// Writes all that waits.
  func flush() async throws {
    guard !batches.isEmpty else { return }
    generation += 1
    let full = batches
    batches.removeAll(keepingCapacity: true)
    for batch in full {
      try await transaction.create(
        batch.mapping.mapping.entity,
        keys: batch.mapping.keys,
        rows: batch.rows
      )
    }
  }
}
