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
    // Until a life or an ownership changed, only the present rows can count.
    var known = past.isEmpty ? 0 : nil as Int?
    while true {
      let count =
        try known ?? count(of: layout, through: past.covered[type] ?? 0, atMost: needed)
      guard count < needed,
        let (last, added) = try cover(layout, after: past.covered[type] ?? 0, needed - count, &past)
      else { break }
      past.covered[type] = last
      known = known.map { $0 + added }
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

  /// Examines the next present rows. Returns the last of them, and how many of the newly examined
  /// ones count; nil if there are none.
  private func cover(
    _ layout: TableLayout,
    after row: Int64,
    _ count: Int,
    _ past: inout PastTables
  ) throws -> (last: Int64, added: Int)? {
    let wasEmpty = past.isEmpty
    let found = try identities(layout, after: row, count)
    guard let last = found.last?.row else { return nil }
    var added = 0
    try gatheringTouches(of: found) {
      for identity in found {
        guard try wasEmpty || examined(identity.id) == nil else { continue }
        let type = try examine(
          identity,
          owners: identity.flags,
          isTurned: false,
          isNew: true,
          in: &past
        )
        if type == layout.typeNumber { added += 1 }
      }
    }
    try checkOrder(&past)
    return (last, added)
  }

  /// Calls the body, which reads touches of some entities in the order of their rows.
  func gatheringTouches(of found: [Identity], _ body: () throws -> Void) throws {
    // Rows of other types may lie between scattered ones.
    guard let first = found.first?.row, let last = found.last?.row,
      last - first < Int64(found.count) * 4
    else { return try body() }
    try touches.gathering(first...last, body)
  }

  /// Returns the identities of the next present rows of a type.
  func identities(
    _ layout: TableLayout,
    after row: Int64,
    _ count: Int
  ) throws -> [Identity] {
    let statement = try connection.statement(
      """
      SELECT m.row, m.id, i.type, i.life, i.born FROM main.\(layout.table.quotedIdentifier) AS m \
      CROSS JOIN main.varve_identity AS i ON i.id = m.id WHERE m.row > ? ORDER BY m.row LIMIT ?
      """
    )
    statement.bind(1, row)
    statement.bind(2, Int64(count))
    defer { statement.reset() }
    var found: [Identity] = []
    while try statement.step() {
      found.append(
        Identity(
          id: try statement.id(1),
          row: statement.int(0),
          type: statement.optionalInt(2),
          flags: Identity.Flags(rawValue: statement.int(3)),
          born: statement.optionalInt(4)
        )
      )
    }
    return found
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
