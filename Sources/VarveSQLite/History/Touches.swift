import VarveCore

/// The place of a cell of history, and its order.
struct Touch {
  var time: HybridTime
  var block: Int64
  var ordinal: Int
  var info: CommitInfo

  var order: CellOrder { CellOrder(time: time, commit: info.order, ordinal: ordinal) }

  /// Returns whether the cell was written after a re-creation; true if there was none.
  func isWritten(after rebirth: CellOrder?) -> Bool {
    rebirth.map { order.isWritten(after: $0) } ?? true
  }
}

extension Session {
  /// The key number of the touches of life cells.
  static let lifeKey: Int64 = 0

  /// Records the place of a cell. Recording it again has no effect.
  func addTouch(row: Int64, key: Int64, time: HybridTime, block: Int64, ordinal: Int) throws {
    recentTouches.add(
      .init(row: row, key: key, time: time.rawValue, block: block, ordinal: Int64(ordinal))
    )
    if recentTouches.pending.count >= recentTouches.capacity { try sortInRecentTouches() }
  }

  /// Removes the record of a cell that is redacted.
  func removeTouch(row: Int64, key: Int64, time: HybridTime, block: Int64, ordinal: Int) throws {
    try loadRecentTouches()
    if recentTouches.hasAny { try sortInRecentTouches() }
    let delete = try connection.statement(
      "DELETE FROM varve_touch WHERE row = ? AND key = ? AND time = ? AND b = ? AND ordinal = ?"
    )
    delete.bind(1, row)
    delete.bind(2, key)
    delete.bind(3, time.rawValue)
    delete.bind(4, block)
    delete.bind(5, Int64(ordinal))
    try delete.run()
  }

  /// Calls the body with the touches of one key, latest time first, until it returns false.
  func forEachTouch(
    row: Int64,
    key: Int64,
    notAfter limit: HybridTime = .distantFuture,
    _ body: (Touch) throws -> Bool
  ) throws {
    let statement = try connection.ownStatement(
      """
      SELECT time, b, ordinal FROM varve_touch WHERE row = ? AND key = ? AND time <= ?
      ORDER BY time DESC, b DESC, ordinal DESC
      """
    )
    statement.bind(1, row)
    statement.bind(2, key)
    statement.bind(3, limit.rawValue)
    func nextSorted() throws -> RecentTouches.Entry? {
      guard try statement.step() else { return nil }
      return .init(
        row: row,
        key: key,
        time: statement.int(0),
        block: statement.int(1),
        ordinal: statement.int(2)
      )
    }
    var sorted = try nextSorted()
    try loadRecentTouches()
    var recent = recentTouches.latest(row: row, key: key, notAfter: limit.rawValue)
    while true {
      let entry: RecentTouches.Entry
      if let place = recent, sorted.map({ $0 <= recentTouches[place] }) ?? true {
        entry = recentTouches[place]
        recent = recentTouches.earlier(than: place)
        if entry == sorted { sorted = try nextSorted() }
      } else if let found = sorted {
        entry = found
        sorted = try nextSorted()
      } else {
        return
      }
      guard try body(touch(entry)) else { return }
    }
  }

  private func touch(_ entry: RecentTouches.Entry) throws -> Touch {
    Touch(
      time: HybridTime(rawValue: entry.time),
      block: entry.block,
      ordinal: Int(entry.ordinal),
      info: try commit(ofBlock: entry.block)
    )
  }

  /// Returns the keys of an entity's touches in ascending order, without life.
  func touchedKeys(row: Int64) throws -> [Int64] {
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
    try loadRecentTouches()
    keys.formUnion(recentTouches.keys(row: row))
    return keys.subtracting([Self.lifeKey]).sorted()
  }

  /// Returns all stored touches of an entity.
  func touches(row: Int64) throws -> Set<RecentTouches.Entry> {
    let statement = try connection.statement(
      "SELECT key, time, b, ordinal FROM varve_touch WHERE row = ?"
    )
    statement.bind(1, row)
    defer { statement.reset() }
    var touches: Set<RecentTouches.Entry> = []
    while try statement.step() {
      let (key, time) = (statement.int(0), statement.int(1))
      touches.insert(
        .init(row: row, key: key, time: time, block: statement.int(2), ordinal: statement.int(3))
      )
    }
    try loadRecentTouches()
    for key in recentTouches.keys(row: row) {
      var place = recentTouches.latest(row: row, key: key, notAfter: .max)
      while let found = place {
        touches.insert(recentTouches[found])
        place = recentTouches.earlier(than: found)
      }
    }
    return touches
  }

  /// Returns whether anything was written to an entity after its creation.
  func isTouched(row: Int64) throws -> Bool {
    let statement = try connection.statement("SELECT 1 FROM varve_touch WHERE row = ? LIMIT 1")
    statement.bind(1, row)
    defer { statement.reset() }
    if try statement.step() { return true }
    try loadRecentTouches()
    return !recentTouches.keys(row: row).isEmpty
  }
}
