import Synchronization
import VarveCore
import VarveStore
import VarveTestSupport

extension IndexTrial {
  func loneWriter() async throws {
    let home = WatchedHome(try await subject.open())
    let (index, other) = (try await open("index", home), try await open("other"))
    try await index.create("one", ["size": 0])
    let former = home.looks
    for size in 1...5 { try await index.set("one", Int64(size)) }
    try require(home.looks == former, "\(home.looks - former) looks for five writes")
    // What another host writes is applied before the next write, and not for the length of a turn.
    for size in 6...9 { try await other.set("one", Int64(size)) }
    try await index.store.write { transaction in
      guard case .int(let size)? = try await transaction.entity("one")?["size"] else { return }
      try await transaction.set("one", "size", .int(size + 1))
    }
    try require(try await index.size("one") == 10, "a write did not see those of another host")
    try require(home.readingTurns == 0, "arrivals were applied in a turn")
    try await index.store.close()
    try await requireEqual(other, try await open("index"), at: "the end")
  }
}

/// A home that counts what is asked of it.
private final class WatchedHome: LogHome {
  private let base: any LogHome
  private let counts = Mutex((looks: 0, readingTurns: 0))

  init(_ base: any LogHome) { self.base = base }

  /// How often its head was asked for, or arrivals outside of a turn.
  var looks: Int { counts.withLock { $0.looks } }

  /// How often arrivals were asked for in a turn.
  var readingTurns: Int { counts.withLock { $0.readingTurns } }

  var space: SpaceID { base.space }

  func head() async throws -> HomeHead {
    counts.withLock { $0.looks += 1 }
    return try await base.head()
  }

  func heads() -> AsyncStream<HomeHead> { base.heads() }

  func arrivals(
    after position: HomePosition?,
    _ body: (HomePart) throws -> Void
  ) async throws -> HomeHead? {
    counts.withLock { $0.looks += 1 }
    return try await base.arrivals(after: position, body)
  }

  func exclusively<Result>(
    patienceMilliseconds: Int,
    _ body: (any HomeTurn) async throws -> Result
  ) async throws -> Result {
    try await base.exclusively(patienceMilliseconds: patienceMilliseconds) { turn in
      try await body(WatchedTurn(turn) { self.counts.withLock { $0.readingTurns += 1 } })
    }
  }

  func flush() async throws { try await base.flush() }

  func close() async throws { try await base.close() }
}

private final class WatchedTurn: HomeTurn {
  private let base: any HomeTurn
  private let note: () -> Void

  init(_ base: any HomeTurn, _ note: @escaping () -> Void) {
    self.base = base
    self.note = note
  }

  var head: HomeHead { base.head }

  var time: HybridTime { base.time }

  func arrivals(
    after position: HomePosition?,
    _ body: (HomePart) throws -> Void
  ) async throws -> HomeHead? {
    note()
    return try await base.arrivals(after: position, body)
  }

  func commit(
    _ changes: HomeChanges,
    adding next: () throws -> HomePart?
  ) async throws -> HomeHead {
    try await base.commit(changes, adding: next)
  }
}
