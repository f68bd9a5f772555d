import VarveCore

extension CommitWriter {
  /// Creates one entity per row.
  ///
  /// - Parameter next: adds the next rows; none at the end.
  func create(
    _ type: EntityType,
    keys: [PropertyKey],
    at time: HybridTime?,
    next: (inout [(EntityID, [Value?])]) -> Void
  ) async throws {
    let time = time ?? defaultTime
    let isWide = try Self.isWide(validating: keys, of: type)
    var batch = CreationBatch(type, keys: keys, at: time)
    var index = 0
    var rows: [(EntityID, [Value?])] = []
    while true {
      rows.removeAll(keepingCapacity: true)
      next(&rows)
      if rows.isEmpty { break }
      for (id, values) in rows {
        guard values.count == keys.count else { throw Self.misfit(index, values, keys) }
        index += 1
        let outcome = isWide ? .tooLarge : batch.append(id, values)
        if outcome == .added, !batch.isFull { continue }
        _ = try await settle(outcome, (id, values), keys, of: type, at: time, &batch)
      }
    }
    _ = try await flush(&batch)
  }

  /// Creates one entity per identifier. Returns those that some commit contains already.
  ///
  /// - Parameter values: the values, row by row.
  func create(
    _ type: EntityType,
    keys: [PropertyKey],
    ids: [EntityID],
    values: PackedValues,
    at time: HybridTime?
  ) async throws -> [EntityID] {
    let time = time ?? defaultTime
    let isWide = try Self.isWide(validating: keys, of: type)
    var batch = CreationBatch(type, keys: keys, at: time)
    var known: [EntityID] = []
    for (row, id) in ids.enumerated() {
      let places = row * keys.count..<(row + 1) * keys.count
      let outcome = isWide ? .tooLarge : batch.append(id, places, of: values)
      if outcome == .added, !batch.isFull { continue }
      let row = outcome == .added ? [] : places.map { values[$0] }
      known += try await settle(outcome, (id, row), keys, of: type, at: time, &batch)
    }
    return known + (try await flush(&batch))
  }

  /// Writes a row that was not added to a batch, and the batch if it is full. Returns those of the
  /// written entities that some commit contains already.
  private func settle(
    _ outcome: CreationBatch.Outcome,
    _ row: (id: EntityID, values: [Value?]),
    _ keys: [PropertyKey],
    of type: EntityType,
    at time: HybridTime?,
    _ batch: inout CreationBatch
  ) async throws -> [EntityID] {
    var outcome = outcome
    var known: [EntityID] = []
    if outcome == .otherKinds {
      known += try await flush(&batch)
      outcome = batch.append(row.id, row.values)
    }
    if outcome != .added {
      known += try await flush(&batch)
      if try await createApart(type, row.id, keys, row.values, at: time) { known.append(row.id) }
    } else if batch.isFull {
      known += try await flush(&batch)
    }
    return known
  }

  /// Writes a batch as a table. Rows with known identifiers are created one by one. Returns these.
  private func flush(_ batch: inout CreationBatch) async throws -> [EntityID] {
    guard !batch.isEmpty else { return [] }
    try Task.checkCancellation()
    let table = batch.take()
    let rows = try await create(table)
    for row in rows {
      try await createKnown(
        table.type,
        id: table.ids[row],
        table.properties(ofRow: row),
        at: table.time
      )
    }
    let known = rows.map { table.ids[$0] }
    batch.reuse(table)
    return known
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
  ///
  /// - Throws: ``VarveError`` with code `invalidArgument` for names that are too long, and for a key
  ///   that is repeated.
  private static func isWide(
    validating keys: [PropertyKey],
    of type: EntityType
  ) throws -> Bool {
    try Names.validate(type)
    for key in keys { try Names.validate(key) }
    try refuseRepeated(keys)
    return keys.count > CreationRow.maximumColumnCount
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
