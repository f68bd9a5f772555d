import VarveCore

/// The log of a space in a database.
final class PostgresLog: LogHome {
  let space: SpaceID
  private let home: PostgresHome

  init(_ home: PostgresHome, _ space: SpaceID) {
    self.home = home
    self.space = space
  }

  private var id: PostgresValue { PostgresValue(space) }

  func head() async throws -> HomeHead {
    let known = try await home.reading { connection, deadline in
      try PostgresHead(
        try await connection.run([HomeStatement.head(id)], until: deadline)[0],
        of: space
      )
    }
    // A server that was replaced by another still has its former heads, but cannot commit.
    if known.isReplicated { try await flush() }
    return known.head
  }

  func heads() -> AsyncStream<HomeHead> { home.follower.heads(of: space) }

  func arrivals(
    after position: HomePosition?,
    _ body: (HomePart) throws -> Void
  ) async throws -> HomeHead? {
    try await home.inSnapshot(of: space) { connection, head in
      let reader = ArrivalReader(connection, space)
      return try await reader.pass(after: position, upTo: head, body) ? head : nil
    }
  }

  func exclusively<Result>(
    patienceMilliseconds: Int,
    _ body: (any HomeTurn) async throws -> Result
  ) async throws -> Result {
    let deadline = ContinuousClock.now + .milliseconds(patienceMilliseconds)
    // A turn without a commit may have been that of a server that was replaced by another.
    var isUnconfirmed = false
    let result: Result
    do {
      result = try await inTurn(until: deadline) { turn in
        defer { isUnconfirmed = turn.isUnconfirmed }
        return try await body(turn)
      }
    } catch let refusal where isUnconfirmed && !Self.isOfConnection(refusal) {
      try await flush()
      throw refusal
    }
    if isUnconfirmed { try await flush() }
    return result
  }

  /// Calls a closure while no other has a turn.
  private func inTurn<Result>(
    until deadline: ContinuousClock.Instant,
    _ body: (PostgresTurn) async throws -> Result
  ) async throws -> Result {
    let queue = home.queue(of: space)
    guard try await queue.take(until: deadline) else { throw busy }
    defer { queue.giveBack() }
    return try await reportingFailures {
      var hasBegun = false
      func take() async throws -> Result {
        try await home.pool.use(until: deadline) { connection in
          let turn = try await PostgresTurn(home, space, connection, until: deadline)
          hasBegun = true
          do {
            let result = try await body(turn)
            await turn.end()
            return result
          } catch {
            await turn.end()
            throw error
          }
        }
      }
      do {
        return try await take()
      } catch let failure as PostgresFailure where failure.isBroken && !hasBegun {
        // The server had ended a session that was kept. Another one may be there.
        guard ContinuousClock.now < deadline else { throw failure }
        return try await take()
      }
    }
  }

  /// Whether an error says nothing of what the home has.
  private static func isOfConnection(_ error: any Error) -> Bool {
    guard let error = error as? VarveError else {
      return error is HomeOutcomeUnknown || error is CancellationError
    }
    return [.inputOutput, .outcomeUnknown, .busy, .closed, .cancelled].contains(error.code)
  }

  func flush() async throws {
    let deadline = ContinuousClock.now + home.configuration.patience
    try await reportingFailures {
      try await home.pool.use(until: deadline) { connection in
        let calls = [
          HomeStatement.begin(), home.settings(lockTimeout: 10_000),
          HomeStatement.probe(id, .integer(.random(in: 0..<16))), HomeStatement.commit(),
        ]
        do {
          let results = try await connection.run(calls, until: deadline)
          guard results[3].tag == "COMMIT", await connection.warnings.isEmpty else {
            throw VarveError(
              .inputOutput,
              "the database did not confirm a commit",
              at: PostgresAddress.shown,
              remedy: "Check the server and its standbys, then try again."
            )
          }
        } catch {
          _ = try? await connection.run([HomeStatement.rollback()], isCancellable: false)
          throw error
        }
      }
    }
  }

  func close() async throws {}

  private var busy: VarveError {
    VarveError(
      .busy,
      "another writer held the log for too long",
      at: PostgresAddress.shown,
      remedy: "Try again, or allow more time."
    )
  }
}
