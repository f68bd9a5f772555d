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

  /// Whether it is recorded who handed over some commits.
  ///
  /// A read of one commit asks this, so it does not load the state. The table is never dropped.
  private var hasHandovers: Bool {
    get throws {
      if state.hasHandovers { return true }
      let version = connection.dataVersion
      guard version != versionWithoutHandovers else { return false }
      state.hasHandovers = try connection.hasTable("varve_handover")
      if !state.hasHandovers { versionWithoutHandovers = version }
      return state.hasHandovers
    }
  }

  /// Returns who handed over a commit; nil if that is not known.
  func handover(of n: Int64) throws -> String? {
    guard try hasHandovers else { return nil }
    let statement = try connection.statement("SELECT subject FROM varve_handover WHERE n = ?")
    statement.bind(1, n)
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) : nil
  }
}
