import VarveCore

/// The commits that change who lives, who owns whom, or which creation counts: `varve_turn`.
///
/// The first creation of an entity is not listed, nor are values. So the entities that a past state
/// has and the present lacks are found without reading the commits that only wrote values. The
/// table may list more commits than needed, never fewer.
extension LogTables {
  /// Records that a commit may change lives or ownerships.
  ///
  /// - Parameter creates: whether it has a creation of an entity that was also created elsewhere.
  func noteLifeChange(_ n: Int64, creates: Bool = false) throws {
    guard lastLifeCommit.map({ $0.n != n || creates && !$0.creates }) ?? true else { return }
    if !knowsLifeCommits { try makeLifeCommits() }
    let statement = try connection.statement(
      """
      INSERT INTO varve_turn (n, creates) VALUES (?, ?)
      ON CONFLICT (n) DO UPDATE SET creates = max(creates, excluded.creates)
      """
    )
    statement.bind(1, n)
    statement.bind(2, Int64(creates ? 1 : 0))
    try statement.run()
    lastLifeCommit = (n, creates)
  }

  private func makeLifeCommits() throws {
    defer { knowsLifeCommits = true }
    guard try !hasLifeCommits else { return }
    try connection.execute(Schema.lifeCommits)
    // Nothing is known of the commits from before the table existed.
    try connection.execute("INSERT INTO varve_turn (n, creates) SELECT n, 1 FROM varve_commit")
  }

  /// Whether the table exists. A store from before it existed gets it with the next such commit.
  var hasLifeCommits: Bool { get throws { try connection.hasTable("varve_turn") } }

  /// Returns whether a commit may have a creation of an entity that was also created elsewhere.
  func createsAgain(_ n: Int64) throws -> Bool {
    guard try hasLifeCommits else { return true }
    let statement = try connection.statement("SELECT creates FROM varve_turn WHERE n = ?")
    statement.bind(1, n)
    defer { statement.reset() }
    return try statement.step() && statement.int(0) != 0
  }
}
