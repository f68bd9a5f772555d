import VarveCore

/// The keys by whose values the first entity of a type is found.
struct LookupKey: Hashable {
  var type: Int64
  var keys: [Int64]
}

/// The statement of a lookup, prepared for a version of the catalogue.
struct PreparedLookup {
  let version: Int64
  let statement: Statement
}

extension SessionReader {
  /// Returns the first entity with some values, or none, by a statement that is kept.
  ///
  /// - Returns: nil if the query asks for more, reads a past state, or compares values that columns
  ///   do not hold as they are.
  func lookUp(_ query: Query) throws -> [EntityID]? {
    guard moment == .now, let values = query.lookup,
      let layout = session.catalogue.layout(query.type), layout.isInOrder
    else { return nil }
    var columns: [ColumnLayout] = []
    for (key, value) in values {
      guard let column = layout.column(key), column.column != nil, !column.isSpilled,
        column.rank == value.sortRank, !value.isNotComparable
      else { return nil }
      columns.append(column)
    }
    try session.writeBufferedRow()
    let statement = try lookup(columns, layout)
    statement.reserve(0)
    for (index, found) in values.enumerated() { statement.bind(Int32(index + 1), found.value) }
    defer { statement.reset() }
    return try statement.step() ? [try statement.id(0)] : []
  }

  private func lookup(_ columns: [ColumnLayout], _ layout: TableLayout) throws -> Statement {
    let key = LookupKey(type: layout.typeNumber, keys: columns.map(\.keyNumber))
    let version = session.catalogue.version
    if let known = session.plans.lookups[key], known.version == version { return known.statement }
    let conditions = columns.map { "\(($0.column ?? "").quotedIdentifier) = ?" }
    let statement = try session.connection.ownStatement(
      """
      SELECT id FROM main.\(layout.table.quotedIdentifier) \
      WHERE \(conditions.joined(separator: " AND ")) ORDER BY row LIMIT 1
      """
    )
    session.plans.lookups[key] = PreparedLookup(version: version, statement: statement)
    return statement
  }
}

extension Query {
  /// The values that the first entity has, if the query asks for nothing else.
  fileprivate var lookup: [(key: PropertyKey, value: Value)]? {
    guard limit == 1, offset == 0, mark == nil, ordering.isEmpty, joins.isEmpty, subtypes.isEmpty,
      !isDistinct, selection == .all, refusal == nil
    else { return nil }
    var values: [(key: PropertyKey, value: Value)] = []
    for part in condition.conjuncts {
      guard case .compare(.property(let key), .equal, let value) = part,
        knownKeys?.contains(key) ?? true
      else { return nil }
      values.append((key, value))
    }
    return values.isEmpty ? nil : values
  }
}
