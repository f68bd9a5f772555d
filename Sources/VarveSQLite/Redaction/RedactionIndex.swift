import VarveCore

/// What redactions name, by the commit it stands in: a table that is made with the first of them.
extension Session {
  /// Notes what a redaction names, so that it is not taken in again.
  ///
  /// - Parameters:
  ///   - block: the block the redaction stands in.
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

  /// Makes the tables, unless they are there.
  func makeRedactionTables() throws {
    guard !log.hasRedactions else { return }
    try connection.execute(Schema.redactions)
    log.hasRedactions = true
  }

  /// The commits of which something was purged.
  func purgedCommits() throws -> [CommitID] {
    guard log.hasRedactions else { return [] }
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
    guard log.hasAwaited, let lineage = try lineageHolding(id),
      let n = try commitNumber(lineage: lineage, sequence: id.sequence)
    else { return false }
    return try awaitsOutline(n) != nil
  }

  /// All that redactions name of a commit; nil where they name nothing.
  ///
  /// - Complexity: one seek; nothing where there are no redactions.
  func redactedCells(of id: CommitID) throws -> RedactedCells? {
    guard log.hasRedactions else { return nil }
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
