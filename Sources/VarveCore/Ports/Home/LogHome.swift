/// The authoritative copy of a log that is kept outside the file of its index.
///
/// A commit belongs to the log once the home has it. Any number of indexes, on any number of hosts,
/// follow the home and serve all reads. They write in turns, under the home's replica id and by the
/// home's clock, and own nothing that the home lacks. The home does not decode commits: it stores
/// arrivals in order, returns them, and grants turns.
///
/// Contract:
/// - **Exclusive.** One turn at a time, across all processes. Waiting suspends the task; after the
///   patience it throws `busy`.
/// - **Fenced.** A holder that lost its turn, because it was stopped for too long, cannot commit.
/// - **Atomic.** All of a turn's changes are kept, or none. What a turn has not committed leaves no
///   trace.
/// - **Durable.** Once ``HomeTurn/commit(_:adding:)`` returns, the changes survive the end of every
///   process; once ``flush()`` returns, they survive a loss of power.
/// - **Ordered.** Positions have no gaps and never change. A reader sees the arrivals up to the
///   head that it is given, and a commit's blocks as of one moment.
///
/// It may be called from any task at any time until it is closed.
package protocol LogHome: HomeReading, Sendable {
  /// The identity of the log.
  var space: SpaceID { get }

  /// The newest head. A home that may have been replaced by another copy confirms it by a
  /// durable write.
  func head() async throws -> HomeHead

  /// A description of the head at first, and then whenever it may have changed. At most one waits
  /// for a slow reader. Nothing correct depends on these announcements: they may repeat, and may be
  /// late.
  func heads() -> AsyncStream<HomeHead>

  /// Calls the body while no other has a turn.
  ///
  /// - Throws: what the body throws; ``VarveError`` with code `busy` after the patience.
  func exclusively<Result>(
    patienceMilliseconds: Int,
    _ body: (any HomeTurn) async throws -> Result
  ) async throws -> Result

  /// Makes everything committed so far survive a loss of power.
  func flush() async throws

  /// Releases the home's resources.
  func close() async throws
}

/// Reads the arrivals of a home.
package protocol HomeReading {
  /// Passes the arrivals after a position to the body, in order.
  ///
  /// - Parameter position: the position after which to begin; nil for the first arrival.
  /// - Returns: the head up to which the arrivals were read; nil, without calling the body, if the
  ///   home never had this position: it is another copy of the log, or has gone back to an earlier
  ///   state.
  func arrivals(
    after position: HomePosition?,
    _ body: (HomePart) throws -> Void
  ) async throws -> HomeHead?
}

/// A turn at a home. Valid inside the body it was given to.
package protocol HomeTurn: HomeReading {
  /// The head, which stays until this turn commits.
  var head: HomeHead { get }

  /// The home's time at the beginning of the turn. Commits are stamped and withheld by it (R11), so
  /// the clocks of hosts decide nothing.
  var time: HybridTime { get }

  /// Commits changes and arrivals, part by part until `next` returns nil. A turn commits at most
  /// once.
  ///
  /// - Returns: the new head.
  /// - Throws: what `next` throws; ``VarveError`` with code `busy` if the turn was lost, and
  ///   another holder may have written; ``HomeOutcomeUnknown``. Nothing was committed, except
  ///   possibly in the last case.
  func commit(
    _ changes: HomeChanges,
    adding next: () throws -> HomePart?
  ) async throws -> HomeHead
}

/// The connection to a home broke while it committed: the changes may have been kept.
///
/// In another turn, the absence of a change is final.
package struct HomeOutcomeUnknown: Error {
  /// The reason, for people.
  package let reason: String
  /// The cause, which callers of a server do not learn: see ``VarveError/cause``.
  package let cause: String?

  package init(_ reason: String, cause: String? = nil) {
    self.reason = reason
    self.cause = cause
  }
}

extension LogHome {
  /// Returns whether the home ever had a position.
  package func knows(_ position: HomePosition) async throws -> Bool {
    do {
      return try await arrivals(after: position) { _ in throw ArrivalFound() } != nil
    } catch is ArrivalFound {
      return true
    }
  }
}

/// Ends the reading of arrivals once there is one.
private struct ArrivalFound: Error {}
