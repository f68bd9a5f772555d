import VarveCore

/// Homes that are other copies than before.
extension PostgresHome {
  /// Gives each space another incarnation and another replica, as a restored backup has.
  ///
  /// - Returns: the number of spaces.
  package func renewIncarnations() async throws -> Int {
    var changes = HomeChanges()
    changes.isAnotherCopy = true
    let all = try await spaces()
    for space in all {
      changes.replica = .random()
      let renewal = changes
      do {
        _ = try await PostgresLog(self, space.id).exclusively(patienceMilliseconds: 60_000) {
          turn in
          try await turn.commit(renewal) { nil }
        }
      } catch let error as VarveError where error.code == .notFound {
        // It has ended meanwhile.
        continue
      }
    }
    return all.count
  }

  /// Throws unless the role of this host may write in every table of the home.
  ///
  /// - Throws: `VarveError`: `readOnly`, `inputOutput` if the home cannot be reached.
  package func requireWritable() async throws {
    let rows = try await reading { connection, deadline in
      try await connection.run([HomeStatement.rights()], until: deadline)[0]
    }
    guard rows.bytes(0, 0) == [1] else {
      throw VarveError(
        .readOnly,
        "the role of this host may not write to the home",
        at: PostgresAddress.shown,
        remedy: "Grant SELECT, INSERT, UPDATE and DELETE on the tables of the schema varve, and "
          + "connect to the primary."
      )
    }
  }
}
