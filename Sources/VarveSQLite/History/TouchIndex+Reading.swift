import VarveCore

extension TouchIndex {
  /// Calls the body with the touches of one key, latest time first, until it returns false.
  func forEach(
    row: Int64,
    key: Int64,
    notAfter limit: HybridTime = .distantFuture,
    _ body: (Entry) throws -> Bool
  ) throws {
    if let touches = gathered?[row, key] {
      var rest = touches.prefix { $0.time <= limit.rawValue }
      return try forEach(row: row, key: key, notAfter: limit, { rest.popLast() }, body)
    }
    let statement = try connection.freeStatement(.findTouches)
    statement.bind(1, row)
    statement.bind(2, key)
    statement.bind(3, limit.rawValue)
    defer { statement.reset() }
    func nextSorted() throws -> Entry? {
      guard try statement.step() else { return nil }
      return .init(
        row: row,
        key: key,
        time: statement.int(0),
        block: statement.int(1),
        ordinal: statement.int(2)
      )
    }
    try forEach(row: row, key: key, notAfter: limit, nextSorted, body)
  }

  /// Calls the body with the sorted touches of a key and those that are not sorted in yet.
  ///
  /// - Parameter nextSorted: returns the next sorted touch, latest time first.
  private func forEach(
    row: Int64,
    key: Int64,
    notAfter limit: HybridTime,
    _ nextSorted: () throws -> Entry?,
    _ body: (Entry) throws -> Bool
  ) throws {
    var sorted = try nextSorted()
    try load()
    var place = recent.latest(row: row, key: key, notAfter: limit.rawValue)
    while true {
      let entry: Entry
      if let found = place, sorted.map({ $0 <= recent[found] }) ?? true {
        entry = recent[found]
        place = recent.earlier(than: found)
        if entry == sorted { sorted = try nextSorted() }
      } else if let found = sorted {
        entry = found
        sorted = try nextSorted()
      } else {
        return
      }
      guard try body(entry) else { return }
    }
  }

  /// Returns the time of the first touch of one key after a time, or nil.
  func next(row: Int64, key: Int64, after time: Int64) throws -> Int64? {
    let sorted = try nextSorted(row: row, key: key, after: time)
    try load()
    let found = recent.next(row: row, key: key, after: time).map { recent[$0].time }
    return [sorted, found].compactMap(\.self).min()
  }

  private func nextSorted(row: Int64, key: Int64, after time: Int64) throws -> Int64? {
    if let touches = gathered?[row, key] { return touches.first { $0.time > time }?.time }
    let statement = try connection.statement(
      "SELECT min(time) FROM varve_touch WHERE row = ? AND key = ? AND time > ?"
    )
    statement.bind(1, row)
    statement.bind(2, key)
    statement.bind(3, time)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalInt(0) : nil
  }

  /// Returns the keys of an entity's touches in ascending order, without life.
  func keys(row: Int64) throws -> [Int64] {
    var keys = try gathered?[row].map { Set($0.map(\.key)) } ?? sortedKeys(row: row)
    try load()
    keys.formUnion(recent.keys(row: row))
    return keys.subtracting([Self.lifeKey]).sorted()
  }

  private func sortedKeys(row: Int64) throws -> Set<Int64> {
    let next = try connection.statement(
      "SELECT key FROM varve_touch WHERE row = ? AND key > ? ORDER BY key LIMIT 1"
    )
    var keys: Set<Int64> = []
    var last = Self.lifeKey
    while true {
      next.bind(1, row)
      next.bind(2, last)
      let found = try next.step() ? next.int(0) : nil
      next.reset()
      guard let found else { break }
      keys.insert(found)
      last = found
    }
    return keys
  }

  /// Returns all touches of an entity.
  func all(row: Int64) throws -> Set<Entry> {
    let statement = try connection.statement(
      "SELECT key, time, b, ordinal FROM varve_touch WHERE row = ?"
    )
    statement.bind(1, row)
    defer { statement.reset() }
    var touches: Set<Entry> = []
    while try statement.step() {
      let (key, time) = (statement.int(0), statement.int(1))
      touches.insert(
        .init(row: row, key: key, time: time, block: statement.int(2), ordinal: statement.int(3))
      )
    }
    try load()
    for key in recent.keys(row: row) {
      var place = recent.latest(row: row, key: key, notAfter: .max)
      while let found = place {
        touches.insert(recent[found])
        place = recent.earlier(than: found)
      }
    }
    return touches
  }

  /// Calls the body with the block of each touch of some rows, in no order.
  ///
  /// - Parameter rows: the rows in ascending order.
  /// - Complexity: O(touches of the rows), or O(touches) if the rows are many and scattered.
  func forEachBlock(rows: [Int64], _ body: (Int64) -> Void) throws {
    guard let first = rows.first, let last = rows.last else { return }
    var ranges: [ClosedRange<Int64>] = []
    for row in rows {
      if let range = ranges.last, range.upperBound == row - 1 {
        ranges[ranges.count - 1] = range.lowerBound...row
      } else {
        ranges.append(row...row)
      }
    }
    var isWanted = [Bool](repeating: false, count: Int(last - first) + 1)
    for row in rows { isWanted[Int(row - first)] = true }
    // Beyond some thousand seeks, one pass is faster.
    if ranges.count > 4_096 { ranges = [first...last] }
    let statement = try connection.freeStatement(
      "SELECT row, b FROM varve_touch WHERE row BETWEEN ? AND ?"
    )
    defer { statement.reset() }
    for range in ranges {
      statement.reset()
      statement.bind(1, range.lowerBound)
      statement.bind(2, range.upperBound)
      while try statement.step() {
        if isWanted[Int(statement.int(0) - first)] { body(statement.int(1)) }
      }
    }
    try load()
    for entry in [recent.stored, recent.pending].joined()
    where entry.row >= first && entry.row <= last && isWanted[Int(entry.row - first)] {
      body(entry.block)
    }
  }

  /// Whether anything was written to an entity after its creation.
  func isTouched(row: Int64) throws -> Bool {
    let statement = try connection.statement("SELECT 1 FROM varve_touch WHERE row = ? LIMIT 1")
    statement.bind(1, row)
    defer { statement.reset() }
    if try statement.step() { return true }
    try load()
    return !recent.keys(row: row).isEmpty
  }

  /// Returns the rows of the touches that are not sorted in yet.
  func recentRows() throws -> Set<Int64> {
    try load()
    return Set(recent.stored.map(\.row))
  }
}
