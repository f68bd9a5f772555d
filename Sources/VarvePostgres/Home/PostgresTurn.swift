import Synchronization
import VarveCore

/// A turn at a space: a transaction that holds the lock of the space's row.
///
/// Its connection is never replaced. If it breaks, the turn is lost, and so is all it had not
/// committed.
final class PostgresTurn: HomeTurn, Sendable {
  let head: HomeHead
  let time: HybridTime
  private let home: PostgresHome
  private let space: SpaceID
  private let connection: KeptConnection
  private let outcome = Mutex(Outcome())
  /// Whether another server confirms commits, so that this one may have been replaced by it.
  private let isReplicated: Bool

  private struct Outcome {
    var hasCommitted = false
    /// The head that the turn raised the space to.
    var raised: HomeHead?
  }

  /// The time within which a commit must be confirmed before its outcome is unknown.
  private static let commitPatience: Duration = .seconds(60)

  /// Waits for the lock, then reads.
  ///
  /// - Parameter isLocking: whether others are excluded.
  init(
    _ home: PostgresHome,
    _ space: SpaceID,
    _ connection: PostgresConnection,
    until deadline: ContinuousClock.Instant,
    isLocking: Bool = true
  ) async throws {
    self.home = home
    self.space = space
    let left = Int((deadline - .now) / .milliseconds(1))
    let id = PostgresValue(space)
    var calls = [HomeStatement.begin(), home.settings(lockTimeout: left)]
    if isLocking { calls.append(HomeStatement.lock(id)) }
    calls.append(HomeStatement.head(id))
    let known: PostgresHead
    do {
      // The server's own limit comes first: it leaves the connection as it was.
      let results = try await connection.run(calls, until: deadline + .seconds(5))
      known = try PostgresHead(results[results.count - 1], of: space)
    } catch {
      _ = try? await connection.run([HomeStatement.rollback()], isCancellable: false)
      throw error
    }
    head = known.head
    time = home.configuration.wall?(known.time) ?? known.time
    isReplicated = known.isReplicated
    self.connection = KeptConnection(connection, home.configuration)
  }

  /// Ends the turn. What was not committed leaves no trace.
  func end() async {
    let outcome = outcome.withLock { $0 }
    await connection.end(rollsBack: !outcome.hasCommitted)
    // The index of this host has it by now.
    if let raised = outcome.raised { home.follower.announce(raised, of: space) }
  }

  /// Whether what was decided in this turn was read from a server that may have been replaced.
  var isUnconfirmed: Bool { isReplicated && !outcome.withLock { $0.hasCommitted } }

  func arrivals(
    after position: HomePosition?,
    _ body: (HomePart) throws -> Void
  ) async throws -> HomeHead? {
    try await reportingFailures {
      let reader = ArrivalReader(connection, space)
      return try await reader.pass(after: position, upTo: head, body) ? head : nil
    }
  }

  func commit(
    _ changes: HomeChanges,
    adding next: () throws -> HomePart?
  ) async throws -> HomeHead {
    let isFirst = outcome.withLock { !$0.hasCommitted }
    precondition(isFirst, "a turn commits once")
    return try await reportingFailures {
      try await connection.use { try await write(changes, on: $0, adding: next) }
    }
  }

  private func write(
    _ changes: HomeChanges,
    on connection: PostgresConnection,
    adding next: () throws -> HomePart?
  ) async throws -> HomeHead {
    var batch = ArrivalBatch(space, after: head.position)
    while let part = try next() {
      // All at once, a large commit would have to be in memory.
      if batch.isFull { _ = try await connection.run(batch.take()) }
      batch.add(part)
    }
    batch.endArrival()
    let incarnation =
      changes.isAnotherCopy ? Int64.random(in: 0 ... .max) : head.position.incarnation
    let next = HomeHead(
      position: batch.position.of(incarnation: incarnation),
      replica: changes.replica ?? head.replica,
      format: head.format
    )
    let complete = HomeStatement.complete(
      PostgresValue(space),
      .integer(head.position.number),
      .integer(next.position.number - head.position.number)
    )
    let calls =
      [raise(to: next)] + changes.replaced.map(replacement) + batch.take()
      + [complete, HomeStatement.commit()]
    try await commit(calls, on: connection, raisingTo: next)
    return next
  }

  /// Sends the last calls: the last two look for what was written, and commit.
  private func commit(
    _ calls: [PostgresCall],
    on connection: PostgresConnection,
    raisingTo next: HomeHead
  ) async throws {
    do {
      let results = try await connection.run(
        calls,
        until: .now + Self.commitPatience,
        isCancellable: false
      )
      let warnings = await connection.warnings
      guard results[results.count - 1].tag == "COMMIT" else {
        throw PostgresFailure("the transaction had failed", at: connection.place, isBroken: false)
      }
      outcome.withLock { $0.hasCommitted = true }
      // Such as that the commit might not have been replicated.
      if let warning = warnings.first {
        throw HomeOutcomeUnknown("the server warned", cause: warning)
      }
      outcome.withLock { $0.raised = next }
    } catch let failure as PostgresFailure {
      if failure.isUncertain {
        let error = failure.error
        throw HomeOutcomeUnknown(error.message, cause: error.cause)
      }
      guard ["22012", "23505"].contains(failure.state) else { throw failure }
      if failure.call == calls.count - 2 {
        throw VarveError(
          .damaged,
          "the database did not keep all of what was written, so nothing is kept",
          at: PostgresAddress.shown,
          remedy: "Run varve home check, and check what stands between this host and the server."
        )
      }
      // The space was not at the head of this turn, or someone added arrivals after it.
      throw VarveError(
        .busy,
        "another writer took the turn at the home",
        at: PostgresAddress.shown,
        remedy: "Write again."
      )
    }
  }

  private func raise(to next: HomeHead) -> PostgresCall {
    HomeStatement.raise(
      PostgresValue(space),
      .integer(head.position.incarnation),
      .integer(head.position.number),
      .integer(head.position.running),
      .integer(next.position.number),
      .integer(next.position.running),
      .integer(next.position.incarnation),
      PostgresValue(next.replica),
      .integer(RowSeal.of(next, of: space))
    )
  }

  private func replacement(_ commit: Commit) -> PostgresCall {
    HomeStatement.replaceBlocks(
      PostgresValue(space),
      PostgresValue(commit.id.replica),
      .integer(commit.id.sequence),
      .bytes(commit.id.hash.bytes),
      .integers(commit.blocks.indices.map(Int64.init)),
      .byteStrings(commit.blocks.map(\.salt)),
      .byteStrings(commit.blocks.map(\.digest.bytes)),
      .byteStrings(commit.blocks.map(\.stored)),
      .integers(commit.blocks.enumerated().map { RowSeal.of($1, at: Int64($0)) })
    )
  }
}
