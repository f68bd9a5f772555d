import VarveCore

/// The cells that redactions name, by their commit, in a table that is created with the first
/// redaction.
extension LogTables {
  /// Records the cells that a redaction names, so that they are not added again.
  ///
  /// - Parameters:
  ///   - block: the block that contains the redaction.
  ///   - place: its place among the block's redactions.
  func note(_ redaction: Redaction, block: Int64, place: Int) throws {
    try makeRedactionTables()
    let insert = try connection.statement(
      "INSERT OR REPLACE INTO varve_redaction (target, b, place, parts) VALUES (?, ?, ?, ?)"
    )
    var target = ByteWriter(capacity: 64)
    target.commitID(redaction.commit)
    var parts = ByteWriter(capacity: redaction.byteCount)
    parts.redactionParts(redaction.parts)
    insert.reserve(64 + parts.count)
    insert.bind(1, blob: target.bytes)
    insert.bind(2, block)
    insert.bind(3, Int64(place))
    insert.bind(4, blob: parts.bytes)
    try insert.run()
  }

  /// Creates the tables if they do not exist.
  func makeRedactionTables() throws {
    guard !state.hasRedactions else { return }
    try connection.execute(Schema.redactions)
    state.hasRedactions = true
  }

  /// Returns the commits that a purge redacted.
  func purgedCommits() throws -> [CommitID] {
    if try sealedView != nil { return try completelyPurgedCommits() }
    guard try current.hasRedactions else { return [] }
    let statement = try connection.ownStatement(
      """
      SELECT DISTINCT target FROM varve_redaction AS r WHERE
      (SELECT max(n) FROM varve_commit WHERE n <= r.b) NOT IN (SELECT n FROM varve_horizon)
      """
    )
    var purged: [CommitID] = []
    while try statement.step() {
      purged.append(try statement.bytes(0).withReader { try $0.commitID() })
    }
    return try purged.filter { try !isAwaited($0) }
  }

  private func isAwaited(_ id: CommitID) throws -> Bool {
    guard try current.hasAwaited, let chainID = try chainHolding(id),
      let n = try commitNumber(chainID: chainID, sequence: id.sequence)
    else { return false }
    return try awaitsOutline(n) != nil
  }

  /// Returns all cells of a commit that redactions name; nil if there are none.
  ///
  /// - Complexity: one seek; none if there are no redactions.
  func redactedCells(of id: CommitID) throws -> RedactedCells? {
    guard try current.hasRedactions else { return nil }
    let statement = try connection.statement("SELECT parts FROM varve_redaction WHERE target = ?")
    var target = ByteWriter(capacity: 64)
    target.commitID(id)
    statement.reserve(64)
    statement.bind(1, blob: target.bytes)
    defer { statement.reset() }
    var named: RedactedCells?
    while try statement.step() {
      let parts = try statement.bytes(0).withReader { try $0.redactionParts() }
      if named == nil { named = RedactedCells() }
      named?.add(parts)
    }
    return named
  }
}
