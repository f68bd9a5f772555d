/// The authoritative copy of a log that is kept outside the file of its index.
///
/// A commit belongs to the log once the home has it. The index follows the home and serves all reads.
/// The home only stores commits in order of arrival, returns them, and grants turns. An index that
/// lacks commits, because its process was killed or another index wrote, applies them at the
/// beginning of its next turn.
///
/// Contract:
/// - **Exclusive.** One turn at a time, across all processes. Waiting suspends the task; after the
///   patience it throws `busy`.
/// - **Durable.** Once ``HomeTurn/append(_:)`` returns, the commits survive the end of the process;
///   once ``flush()`` returns, they survive a loss of power.
/// - **Atomic.** All commits of an addition are kept, or none.
package protocol LogHome: Sendable {
  /// Calls the body while no other has a turn.
  func exclusively<Result>(
    patienceMilliseconds: Int,
    _ body: (any HomeTurn) async throws -> Result
  ) async throws -> Result

  /// Makes what was added so far survive a loss of power.
  func flush() async throws

  /// Releases the home's resources.
  func close() async throws
}

/// A turn at a home. Valid inside the body it was given to.
package protocol HomeTurn {
  /// The place after the last arrival.
  var end: HomePosition { get }

  /// Passes the commits that arrived after a position to the body, in order of arrival, part by
  /// part.
  ///
  /// - Returns: false, without calling the body, if the home never had this position: it is another
  ///   home, or this one has gone back to an earlier state.
  func forEachPart(
    after position: HomePosition,
    _ body: (CommitPart) throws -> Void
  ) async throws -> Bool

  /// Adds commits, part by part until `next` returns nil. Each follows its dependencies.
  func append(_ next: () throws -> CommitPart?) async throws

  /// Replaces the content of commits by what redactions left of it, or by what was awaited; what
  /// was there is destroyed. Commits that are not here, or are as given already, are skipped.
  func replace(_ commits: [Commit]) async throws
}

/// A place in the order of a home's arrivals.
package struct HomePosition: Sendable, Hashable {
  /// The home's copy of the log: random, and new if the copy is restored.
  package let incarnation: Int64
  /// The number of arrivals up to here.
  package private(set) var number: Int64 = 0
  /// A hash over them in their order.
  package private(set) var running: Int64 = 0

  /// The place before the first arrival.
  package init(incarnation: Int64) { self.incarnation = incarnation }

  /// A place that was kept.
  package init(incarnation: Int64, number: Int64, running: Int64) {
    self.incarnation = incarnation
    self.number = number
    self.running = running
  }

  /// Goes on past an arrival.
  package mutating func advance(past commit: CommitID) {
    number += 1
    var writer = ByteWriter(capacity: 40)
    writer.fixed(UInt64(bitPattern: running))
    writer.digest(commit.hash)
    let hash = ContentDigest.sha256(writer.bytes).bytes
    running = Int64(bitPattern: hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }
}
