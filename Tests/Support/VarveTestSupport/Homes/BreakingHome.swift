import Synchronization
package import VarveCore

/// A home to which the connection breaks, or whose host ends, when a turn commits.
package final class BreakingHome: LogHome {
  /// What happens at a commit.
  package enum Break: Sendable {
    /// The process ends after the commit.
    case endsAfter
    /// The connection breaks after the commit.
    case unknownAfter
    /// The connection breaks before the commit.
    case unknownBefore
    /// The connection breaks after the commit, and the home cannot be reached again.
    case unreachableAfter
    /// Another holder commits first.
    case loses(@Sendable () async throws -> Void)
  }

  /// The end of a process.
  package struct Ended: Error {}

  private let base: any LogHome
  private let next: Mutex<(countdown: Int, break: Break)?>
  private let isUnreachable = Mutex(false)

  /// - Parameter count: the number of commits that succeed before.
  package init(_ base: any LogHome, _ break: Break, after count: Int = 0) {
    self.base = base
    next = Mutex((count, `break`))
  }

  /// Makes the home reachable again.
  package func mend() { isUnreachable.withLock { $0 = false } }

  private func reach() throws {
    guard isUnreachable.withLock({ $0 }) else { return }
    throw VarveError(.inputOutput, "the home cannot be reached")
  }

  private func takeBreak() -> Break? {
    next.withLock { state in
      guard let (countdown, `break`) = state else { return nil }
      state = countdown > 0 ? (countdown - 1, `break`) : nil
      return countdown > 0 ? nil : `break`
    }
  }

  package var space: SpaceID { base.space }

  package func head() async throws -> HomeHead {
    try reach()
    return try await base.head()
  }

  package func heads() -> AsyncStream<HomeHead> { base.heads() }

  package func arrivals(
    after position: HomePosition?,
    _ body: (HomePart) throws -> Void
  ) async throws -> HomeHead? {
    try reach()
    return try await base.arrivals(after: position, body)
  }

  package func exclusively<Result>(
    patienceMilliseconds: Int,
    _ body: (any HomeTurn) async throws -> Result
  ) async throws -> Result {
    try reach()
    return try await base.exclusively(patienceMilliseconds: patienceMilliseconds) { turn in
      try await body(Turn(base: turn, home: self))
    }
  }

  package func flush() async throws { try await base.flush() }

  package func close() async throws { try await base.close() }

  private struct Turn: HomeTurn {
    let base: any HomeTurn
    let home: BreakingHome

    var head: HomeHead { base.head }
    var time: HybridTime { base.time }

    func arrivals(
      after position: HomePosition?,
      _ body: (HomePart) throws -> Void
    ) async throws -> HomeHead? { try await base.arrivals(after: position, body) }

    func commit(
      _ changes: HomeChanges,
      adding next: () throws -> HomePart?
    ) async throws -> HomeHead {
      let happening = home.takeBreak()
      switch happening {
      case .unknownBefore: throw HomeOutcomeUnknown("the connection was reset")
      case .loses(let other): try await other()
      default: break
      }
      let head = try await base.commit(changes, adding: next)
      switch happening {
      case .endsAfter: throw Ended()
      case .unknownAfter: throw HomeOutcomeUnknown("the connection was reset")
      case .unreachableAfter:
        home.isUnreachable.withLock { $0 = true }
        throw HomeOutcomeUnknown("the connection was reset")
      default: return head
      }
    }
  }
}
