import VarveCore

/// Where a cell of history stands, and what orders it.
struct Touch {
  var time: HybridTime
  var block: Int64
  var ordinal: Int
  var info: CommitInfo

  var order: CellOrder { CellOrder(time: time, commit: info.order, ordinal: ordinal) }

  /// Whether the cell was written after a re-creation, if there was one.
  func isWritten(after rebirth: CellOrder?) -> Bool {
    rebirth.map { order.isWritten(after: $0) } ?? true
  }
}

extension Session {
  /// The key number under which life cells are touched.
  static let lifeKey: Int64 = 0

  func addTouch(row: Int64, key: Int64, time: HybridTime, block: Int64, ordinal: Int) throws {
    let statement = try connection.statement(.addTouch)
    statement.bind(1, row)
    statement.bind(2, key)
    statement.bind(3, time.rawValue)
    statement.bind(4, block)
    statement.bind(5, Int64(ordinal))
    try statement.run()
  }

  /// The touches of one key, latest time first, until the body answers false.
  func forEachTouch(
    row: Int64,
    key: Int64,
    notAfter limit: HybridTime = .distantFuture,
    _ body: (Touch) throws -> Bool
  ) throws {
    let statement = try connection.ownStatement(
      """
      SELECT time, b, ordinal FROM varve_touch WHERE row = ? AND key = ? AND time <= ?
      ORDER BY time DESC
      """
    )
    statement.bind(1, row)
    statement.bind(2, key)
    statement.bind(3, limit.rawValue)
    while try statement.step() {
      let touch = Touch(
        time: HybridTime(rawValue: statement.int(0)),
        block: statement.int(1),
        ordinal: Int(statement.int(2)),
        info: try commit(ofBlock: statement.int(1))
      )
      guard try body(touch) else { return }
    }
  }

  /// The keys an entity has touches of, life excluded.
  func touchedKeys(row: Int64) throws -> [Int64] {
    let next = try connection.statement(
      "SELECT key FROM varve_touch WHERE row = ? AND key > ? ORDER BY key LIMIT 1"
    )
    var keys: [Int64] = []
    var last = Self.lifeKey
    while true {
      next.bind(1, row)
      next.bind(2, last)
      let found = try next.step() ? next.int(0) : nil
      next.reset()
      guard let found else { return keys }
      keys.append(found)
      last = found
    }
  }
}
