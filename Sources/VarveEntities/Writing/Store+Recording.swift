import Synchronization
public import VarveCore

extension Store {
  /// Runs a closure, and returns its result with the commits that it made in this store.
  ///
  /// Every verb that writes can be used: `save`, `update`, `erase`, `restore`, `undo`, and the
  /// verbs of live objects. A call that found nothing to write made no commit. Tasks that the
  /// closure starts count until it returns.
  ///
  /// ```swift
  /// let (saved, commits) = try await store.recording { try await store.save(hat) }
  /// if let commit = commits.last { try await store.undo(commit.id) }
  /// ```
  ///
  /// To write one commit with several calls, use ``commit(as:author:message:at:_:)``. To undo and
  /// redo step by step, use an ``UndoStack``.
  ///
  /// - Returns: the result of the closure, and the commits, oldest first.
  /// - Throws: the errors of the closure.
  public func recording<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async rethrows -> (result: Result, commits: [CommitSummary]) {
    let collected = CollectedCommits()
    let recorder = CommitRecorder(of: self) { collected.add($0) }
    let result = try await recorder.run(body)
    return (result, collected.commits)
  }
}

/// Commits in the order in which they were made.
private final class CollectedCommits: Sendable {
  private let list = Mutex<[CommitSummary]>([])

  var commits: [CommitSummary] { list.withLock { $0 } }

  func add(_ commit: CommitSummary) { list.withLock { $0.append(commit) } }
}
