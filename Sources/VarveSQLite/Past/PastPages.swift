import VarveCore

/// Reads the beginning of a type at the cost of the entities that are read.
extension Session {
  /// Examines the first entities of a type, in the order of their rows, until as many as needed
  /// count. Entities that the present lacks are examined already: a life or an ownership changed.
  ///
  /// - Complexity: O(rows examined).
  func cover(_ type: Int64, rows needed: Int) throws {
    guard var past, !past.isWhole, let layout = catalogue.layouts[type] else { return }
    // If this fails half-way, the tables are made anew.
    self.past = nil
    try usePatch(of: type, &past)
    while true {
      let count = try count(of: layout, through: past.covered[type] ?? 0, atMost: needed)
      guard count < needed,
        let last = try cover(layout, after: past.covered[type] ?? 0, needed - count, &past)
      else { break }
      past.covered[type] = last
    }
    self.past = past
  }

  private func count(of layout: TableLayout, through row: Int64, atMost limit: Int) throws -> Int {
    let statement = try connection.statement(
      """
      SELECT count(*) FROM \
      (SELECT 1 FROM \(PastTables.source(layout)) AS t WHERE t.row <= ? LIMIT ?)
      """
    )
    statement.bind(1, row)
    statement.bind(2, Int64(limit))
    defer { statement.reset() }
    return try statement.step() ? Int(statement.int(0)) : 0
  }

  /// Examines the next present rows. Returns the last of them, or nil if there are none.
  private func cover(
    _ layout: TableLayout,
    after row: Int64,
    _ count: Int,
    _ past: inout PastTables
  ) throws -> Int64? {
    let statement = try connection.statement(
      """
      SELECT row, id FROM main.\(layout.table.quotedIdentifier) WHERE row > ? ORDER BY row LIMIT ?
      """
    )
    statement.bind(1, row)
    statement.bind(2, Int64(count))
    var found: [(row: Int64, id: EntityID)] = []
    while try statement.step() { found.append((statement.int(0), try statement.id(1))) }
    statement.reset()
    for (_, id) in found where try examined(id) == nil {
      guard let identity = try identity(id) else { continue }
      try examine(identity, owners: identity.flags, isTurned: false, in: &past)
    }
    try checkOrder(&past)
    return found.last?.row
  }
}

extension Query {
  /// The number of rows from the first one on that the query reads; nil if it reads others, or must
  /// look at all.
  var rowsFromFirst: Int? {
    guard let limit, condition == .always, joins.isEmpty, subtypes.isEmpty, ordering.isEmpty,
      !isDistinct, mark == nil, !hasRawSQL, offset + limit <= 10_000
    else { return nil }
    return offset + limit
  }
}
