import VarveCore

/// Partially replicated commits, whose other cells are still to come: outlines, and blocks that
/// were redacted for a reason that is not in this store yet (R24).
extension LogTables {
  /// Records a stored commit as partially replicated, if it is.
  func noteIfAwaited(_ id: CommitID, n: Int64, isOutline: Bool, isRedacted: Bool) throws {
    guard isOutline || isRedacted, try isOutline || redactedCells(of: id) == nil else { return }
    try noteAwaited(n, isOutline: isOutline)
  }

  func noteAwaited(_ n: Int64, isOutline: Bool) throws {
    try makeAwaitedTables()
    let insert = try connection.statement(
      "INSERT OR REPLACE INTO varve_awaited (n, is_outline) VALUES (?, ?)"
    )
    insert.bind(1, n)
    insert.bind(2, Int64(isOutline ? 1 : 0))
    try insert.run()
  }

  func noteWhole(_ n: Int64) throws {
    let delete = try connection.statement("DELETE FROM varve_awaited WHERE n = ?")
    delete.bind(1, n)
    try delete.run()
  }

  /// Records that a redaction explains why cells of a commit are missing.
  func noteExplained(_ n: Int64) throws {
    guard try current.hasAwaited, try awaitsOutline(n) == false else { return }
    try noteWhole(n)
  }

  /// Returns whether a commit is an outline; nil if it is complete.
  func awaitsOutline(_ n: Int64) throws -> Bool? {
    guard try current.hasAwaited else { return nil }
    let statement = try connection.statement("SELECT is_outline FROM varve_awaited WHERE n = ?")
    statement.bind(1, n)
    defer { statement.reset() }
    return try statement.step() ? statement.int(0) != 0 : nil
  }

  /// Creates the tables if they do not exist.
  func makeAwaitedTables() throws {
    guard !state.hasAwaited else { return }
    try connection.execute(Schema.awaited)
    state.hasAwaited = true
  }

  /// Whether any commit is an outline.
  var hasOutlines: Bool {
    get throws {
      try connection.integer("SELECT 1 FROM varve_awaited WHERE is_outline = 1 LIMIT 1") != nil
    }
  }

  /// Returns whether a horizon up to which commits arrive as outlines is recorded.
  func expectsOutlines(of horizon: Horizon) throws -> Bool {
    guard try current.hasAwaited else { return false }
    let statement = try connection.statement("SELECT 1 FROM varve_outline WHERE field = ?")
    statement.reserve(horizon.field.bytes.count)
    statement.bind(1, blob: horizon.field.bytes)
    defer { statement.reset() }
    return try statement.step()
  }

  /// Records a horizon up to which commits arrive as outlines.
  func addOutlines(of horizon: Horizon) throws {
    try makeAwaitedTables()
    let insert = try connection.statement("INSERT INTO varve_outline (field) VALUES (?)")
    insert.reserve(horizon.field.bytes.count)
    insert.bind(1, blob: horizon.field.bytes)
    try insert.run()
  }

  /// Records that no outlines are to come.
  func clearOutlines() throws { try connection.execute("DELETE FROM varve_outline") }

  /// The horizons up to which commits arrive as outlines.
  func outlineHorizons() throws -> [Horizon] {
    let statement = try connection.ownStatement("SELECT field FROM varve_outline")
    var horizons: [Horizon] = []
    while try statement.step() { horizons.append(try Horizon(encoded: statement.blob(0))) }
    return horizons
  }

  /// Returns the awaited commits from a number on, as ranges of chains.
  func awaited(from place: Int64, atMost count: Int) throws -> AwaitedCommits {
    guard try current.hasAwaited else { return AwaitedCommits() }
    let statement = try connection.ownStatement(
      "SELECT n FROM varve_awaited WHERE n >= ? ORDER BY n"
    )
    statement.bind(1, place)
    var awaited = AwaitedCommits()
    while try statement.step() {
      let id = try commit(ofBlock: statement.int(0)).summary.id
      if let last = awaited.ranges.last, last.last.replica == id.replica,
        last.last.sequence == id.sequence - 1, try precedes(last.last, id)
      {
        awaited.ranges[awaited.ranges.count - 1] = CommitRange(last: id, count: last.count + 1)
        continue
      }
      guard awaited.ranges.count < count else {
        awaited.next = statement.int(0)
        break
      }
      awaited.ranges.append(CommitRange(last: id, count: 1))
    }
    return awaited
  }

  private func precedes(_ id: CommitID, _ next: CommitID) throws -> Bool {
    guard let chainID = try chainHolding(next),
      let n = try commitNumber(chainID: chainID, sequence: id.sequence)
    else { return false }
    return try commit(ofBlock: n).summary.id == id
  }
}
