package import VarveCore

extension PostgresHome: NotedHome {
  package func createRelay(_ name: String, of space: SpaceID) async throws -> SpaceSummary {
    try await create(name, space, replica: .random(), format: HomeHead.sealedFormat)
  }

  package func notes(_ kind: String) async throws -> [HomeNote] {
    let rows = try await reading { connection, deadline in
      try await connection.run([HomeStatement.notes(.text(kind))], until: deadline)[0]
    }
    return (0..<rows.count).map { row in
      HomeNote(kind, rows.text(row, 0) ?? "", rows.text(row, 1) ?? "")
    }
  }

  package func add(_ note: HomeNote) async throws -> Bool {
    try await write(HomeStatement.addNote.call(note))
  }

  package func replace(_ note: HomeNote) async throws {
    _ = try await write(HomeStatement.replaceNote.call(note))
  }

  package func removeNote(_ kind: String, _ name: String) async throws -> Bool {
    try await write(HomeStatement.removeNote(.text(kind), .text(name)))
  }

  package func spaces(among ids: Set<SpaceID>) async throws -> Set<SpaceID> {
    let call = HomeStatement.spacesAmong(.uuids(ids.map { ReplicaID(high: $0.high, low: $0.low) }))
    let rows = try await reading { connection, deadline in
      try await connection.run([call], until: deadline)[0]
    }
    return Set(
      (0..<rows.count).map { row in
        let (high, low) = rows.uuid(row, 0)
        return SpaceID(high: high, low: low)
      }
    )
  }

  package func end(
    _ space: SpaceID,
    noting note: @Sendable (_ commitCount: Int) -> HomeNote
  ) async throws -> Int {
    var count = 0
    try await end(space) { _, commitCount in
      count = commitCount
      return note(count)
    }
    return count
  }

  /// Runs a statement in a transaction of its own. Returns whether it found or changed anything.
  private func write(_ call: PostgresCall) async throws -> Bool {
    try await writing { connection, deadline in
      let results = try await connection.run(
        [HomeStatement.begin(), settings(lockTimeout: 10_000), call, HomeStatement.commit()],
        until: deadline
      )
      return results[2].count > 0
    }
  }
}

extension HomeStatement {
  /// Returns a call of a statement that writes a note.
  func call(_ note: HomeNote) -> PostgresCall {
    self(.text(note.kind), .text(note.name), .text(note.text), .integer(RowSeal.of(note)))
  }
}
