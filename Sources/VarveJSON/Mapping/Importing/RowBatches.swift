import VarveCore
import VarveStore

/// The new entities on their way into a transaction, in batches of one mapping.
final class RowBatches {
  /// The place of a pending row.
  struct Place {
    fileprivate let batch: Batch
    fileprivate let generation: Int
    fileprivate let row: Int
  }

  fileprivate final class Batch {
    let mapping: CompiledMapping
    /// The rows. One access changes all that belongs to a row.
    var rows: Rows

    /// Creates a batch with room for all objects of a part of the document.
    init(_ mapping: CompiledMapping, _ part: PackedValues) {
      self.mapping = mapping
      rows = Rows()
      rows.values.reserveCapacity(part.count, byteCount: part.contentByteCount)
    }

    /// Sets a value of a row.
    func set(_ value: Value?, at column: Int, ofRow row: Int) {
      rows.values[row * mapping.keys.count + column] = value
    }
  }

  fileprivate struct Rows {
    var ids: [EntityID] = []
    /// The values, row by row: one or none for each key.
    var values = PackedValues()
    /// The places of the entities in the document, if a model has rules for them.
    var paths: [DocumentPath] = []

    /// Adds a row; returns its index.
    mutating func append(_ id: EntityID, _ draft: Draft, hasPath: Bool) -> Int {
      ids.append(id)
      values.append(draft.places, of: draft.values)
      if hasPath { paths.append(draft.path) }
      return ids.count - 1
    }
  }

  private let transaction: WriteTransaction
  /// The batches with rows, in the order of their first row.
  private var batches: [Batch] = []
  private var generation = 0

  private let rules: RuleKeeping
  /// The created entities whose identifiers the store had already, such as those of dead entities.
  private(set) var known: Set<EntityID> = []

  init(_ transaction: WriteTransaction, _ rules: RuleKeeping) {
    self.transaction = transaction
    self.rules = rules
  }

  func add(_ id: EntityID, _ draft: Draft) -> Place {
    let mapping = draft.mapping
    let batch: Batch
    if let known = batches.last(where: { $0.mapping === mapping }) {
      batch = known
    } else {
      batch = Batch(mapping, draft.values)
      batches.append(batch)
    }
    let hasPath = rules[mapping.mapping.entity] != nil
    let row = batch.rows.append(id, draft, hasPath: hasPath)
    return Place(batch: batch, generation: generation, row: row)
  }

  /// Returns whether a row is still pending.
  func isWaiting(_ place: Place?) -> Bool { place?.generation == generation }

  /// Sets a value if a row of the mapping is still pending. Returns whether it is.
  func set(_ value: Value?, at column: Int, of place: Place?, _ mapping: CompiledMapping) -> Bool {
    guard let place, isWaiting(place), place.batch.mapping === mapping else { return false }
    place.batch.set(value, at: column, ofRow: place.row)
    return true
  }

  /// Sets the values of an object if a row of its mapping is still pending. Returns whether it is.
  func fill(_ place: Place?, _ draft: Draft) -> Bool {
    guard let place, isWaiting(place), place.batch.mapping === draft.mapping else { return false }
    for (index, value) in draft.said { place.batch.set(value, at: index, ofRow: place.row) }
    return true
  }

  /// Writes all pending rows.
  func flush() async throws {
    guard !batches.isEmpty else { return }
    generation += 1
    let full = batches
    batches.removeAll(keepingCapacity: true)
    for batch in full {
      let type = batch.mapping.mapping.entity
      var keys = batch.mapping.keys
      if let rules = rules[type] { keys = try fill(batch, rules) }
      let (ids, values) = (batch.rows.ids, batch.rows.values)
      known.formUnion(try await transaction.createRows(type, keys: keys, ids: ids, values: values))
    }
  }

  /// Fills in the values that the model gives the rows. Returns the resulting keys.
  private func fill(_ batch: Batch, _ rules: ModelRules) throws -> [PropertyKey] {
    let keys = batch.mapping.keys
    let all = keys + rules.keys.filter { !keys.contains($0) }
    var filledValues = PackedValues()
    let rows = batch.rows
    filledValues.reserveCapacity(rows.ids.count * all.count)
    for (row, id) in rows.ids.enumerated() {
      let values = (0..<keys.count).map { rows.values[row * keys.count + $0] }
      let said = Dictionary(zip(keys, values), uniquingKeysWith: { $1 })
      let entity = StoredEntity(id, rules.type, said)
      let path = rows.paths[row]
      let filled = try self.rules.filling(entity, since: nil, path, batch.mapping)
      for key in all { filledValues.append(filled[key] ?? entity[key]) }
    }
    batch.rows.values = filledValues
    return all
  }
}
