/// The log: an append-only set of commits, and the truth of a store.
///
/// Everything else in a store follows from it; see ``StateIndex``. Synchronisation needs the log
/// alone.
///
/// Contract:
/// - **Atomic.** All commits of an addition are added, or none, whatever happens to the process.
/// - **Durable.** Once ``append(_:outline:)`` returns, its commits survive the end of the process; once
///   ``flush()`` returns, they survive a loss of power.
/// - **Causal.** A commit that arrives before its predecessor or its dependencies is refused as
///   `missingDependencies`, and one whose content does not match its name as `damaged`.
/// - **Exclusive.** One writer at a time per log, across all processes. Waiting suspends the task;
///   it does not block a thread.
///
/// A log may be called from any task at any time until it is closed.
package protocol CommitLog: CommitSource, PartialReplication, SpaceLog, SealedLog {
  /// Whether the log is encrypted at rest, so that nothing of it may be plain in a temporary file.
  var isEncrypted: Bool { get }

  /// The replica that currently writes here.
  func replica() async throws -> ReplicaID

  /// Replaces the replica id by a fresh one and returns it, if the current one is the given one.
  func leave(_ replica: ReplicaID) async throws -> ReplicaID?

  /// Adds foreign commits, in an order in which each follows its dependencies. Commits that are
  /// already here are skipped. Either all commits of a call are added, or none.
  ///
  /// - Parameter outline: the horizon up to which some of the commits may be outlines (R27). If one
  ///   is, the log records the horizon with it. Without a horizon an outline throws `unsupported`.
  func append(_ commits: [Commit], outline: Horizon?) async throws -> AppendReport

  /// Adds foreign commits, as ``append(_:outline:)`` does, part by part until `next` returns nil.
  /// Either all are added, or none: if a commit lacks a block or `next` throws, none is.
  func append(
    outline: Horizon?,
    parts next: () async throws -> CommitPart?
  ) async throws -> AppendReport

  /// Makes everything added so far survive a loss of power.
  func flush() async throws

  /// Returns a probe that detects changes of the log; nil if only this process can change it.
  func changeProbe() throws -> (any ChangeProbe)?
}

extension CommitLog {
  /// Adds foreign commits, none of which is an outline.
  package func append(_ commits: [Commit]) async throws -> AppendReport {
    try await append(commits, outline: nil)
  }

  /// Adds foreign commits part by part, none of which is an outline.
  package func append(parts next: () async throws -> CommitPart?) async throws -> AppendReport {
    try await append(outline: nil, parts: next)
  }

  package func changeProbe() throws -> (any ChangeProbe)? { nil }
}

/// Detects changes of a log by any process.
package protocol ChangeProbe: AnyObject, Sendable {
  /// Returns whether the log may have changed since the last call; true at the first. It is cheap
  /// enough to be called many times a second.
  func hasChanged() throws -> Bool

  /// The file that changes, or whose write-ahead log does, with every commit; nil if there is none.
  var file: String? { get }

  /// Releases its resources.
  func close()
}
