import VarveCore

extension CommitWriter {
  /// Creates one entity per row. Returns those whose identifiers some commit contains already.
  @discardableResult
  func create(
    _ type: EntityType,
    keys: [PropertyKey],
    rows: some Sequence<(EntityID, [Value?])>,
    at time: HybridTime?
  ) async throws -> [EntityID] {
    let time = time ?? defaultTime
    try Names.validate(type)
    for key in keys { try Names.validate(key) }
    try Self.refuseRepeated(keys)
    let isWide = Self.isWide(keys)
    var batch = CreationBatch(type, keys: keys, at: time)
    var index = 0
    var known: [EntityID] = []
    for (id, values) in rows {
      guard values.count == keys.count else { throw Self.misfit(index, values, keys) }
      index += 1
      var outcome = isWide ? .tooLarge : batch.append(id, values)
      if outcome == .otherKinds {
        known += try await flush(&batch)
        outcome = batch.append(id, values)
      }
      if outcome != .added {
        known += try await flush(&batch)
        if try await createApart(type, id, keys, values, at: time) { known.append(id) }
      } else if batch.isFull {
        known += try await flush(&batch)
      }
    }
    return known + (try await flush(&batch))
  }

  /// Writes a batch as a table. Rows with known identifiers are created one by one. Returns these.
  private func flush(_ batch: inout CreationBatch) async throws -> [EntityID] {
    guard !batch.isEmpty else { return [] }
    try Task.checkCancellation()
    let table = batch.take()
    let known = try await create(table)
    for row in known {
      try await createKnown(
        table.type,
        id: table.ids[row],
        table.properties(ofRow: row),
        at: table.time
      )
    }
    return known.map { table.ids[$0] }
  }

  /// Creates the entity of a row that does not fit into a table. Returns whether some commit
  /// contains its identifier already.
  private func createApart(
    _ type: EntityType,
    _ id: EntityID,
    _ keys: [PropertyKey],
    _ values: [Value?],
    at time: HybridTime?
  ) async throws -> Bool {
    var properties: [PropertyChange] = []
    for (key, value) in zip(keys, values) {
      guard let value else { continue }
      properties.append(PropertyChange(key: key, property: .init(value)))
    }
    for property in properties { try property.validate() }
    return try await createValid(type, id: id, properties, at: time)
  }

  /// Returns whether a table with these keys would have too long a header.
  private static func isWide(_ keys: [PropertyKey]) -> Bool {
    keys.count > CreationRow.maximumColumnCount
      || keys.reduce(0) { $0 + $1.text.utf8.count } > CreationRow.maximumByteCount
  }

  private static func refuseRepeated(_ keys: [PropertyKey]) throws {
    var seen: Set<PropertyKey> = []
    for key in keys where !seen.insert(key).inserted {
      throw VarveError(
        .invalidArgument,
        "a key is repeated among the keys of the rows",
        at: "property \(key)",
        remedy: "Name each key once."
      )
    }
  }

  private static func misfit(_ row: Int, _ values: [Value?], _ keys: [PropertyKey]) -> VarveError {
    VarveError(
      .invalidArgument,
      "a row has \(values.count) values for \(keys.count) keys",
      at: "row \(row)",
      remedy: "Give one value, or nil, for each key."
    )
  }
}
