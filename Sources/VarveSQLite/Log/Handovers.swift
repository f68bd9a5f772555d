import VarveCore

/// Who handed over commits that were written elsewhere, as far as a server knew.
extension LogTables {
  /// Records who handed over a commit.
  func noteHandover(_ n: Int64, by subject: String) throws {
    if !state.hasHandovers {
      try connection.execute(Schema.handovers)
      state.hasHandovers = true
    }
    let insert = try connection.statement(
      "INSERT OR REPLACE INTO varve_handover (n, subject) VALUES (?, ?)"
    )
    insert.reserve(subject.utf8.count)
    insert.bind(1, n)
    insert.bind(2, text: subject)
    try insert.run()
    recentCommits.removeAll()
  }

  /// Returns who handed over a commit; nil if that is not known.
  func handover(of n: Int64) throws -> String? {
    guard try current.hasHandovers else { return nil }
    let statement = try connection.statement("SELECT subject FROM varve_handover WHERE n = ?")
    statement.bind(1, n)
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) : nil
  }
}
