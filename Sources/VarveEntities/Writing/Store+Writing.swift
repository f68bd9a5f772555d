public import Foundation
public import VarveCore

extension Store {
  /// Writes one commit with everything that the closure writes through its transaction, or nothing
  /// if the closure throws or its task is cancelled. A closure that writes nothing makes no commit.
  ///
  /// Writers in all processes that have the store open take turns. The closure runs when its turn
  /// has come, and other writers wait until it returns.
  ///
  /// ```swift
  /// try await store.write(author: "sam", message: "spring prices") { tx in
  ///   for hat in try await tx.fetch(Query("Hat")) {
  ///     try await tx.set(hat.id, "price", 12)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - action: the action that observers of changes receive.
  ///   - author: the author; may be empty. If nil, it is ``author``, else that of the
  ///     configuration.
  ///   - message: the reason for the commit; may be empty.
  ///   - time: the time of values that do not specify one. If nil, they hold from the commit's
  ///     time. A past time does not displace a later value.
  ///   - body: writes through its transaction.
  /// - Returns: the result of the closure.
  /// - Throws: the errors of the closure; ``VarveError``: `validationFailed` if values that models
  ///   declare unique are not unique when the closure has returned; `nestedTransaction` inside
  ///   another write of this store; `busy` if another writer does not finish; `readOnly`, `closed`,
  ///   `diskFull`, `timeOutOfRange`; `invalidArgument` for a text over 64 KiB; `inputOutput` if the
  ///   file cannot be written or the home cannot be reached, where nothing is written;
  ///   `outcomeUnknown` if the commit may have been kept: the disk failed
  ///   (``Durability/synchronized``), or the connection to the home broke; `CancellationError`.
  /// - Complexity: that of the writes in the closure; the commit itself takes O(bytes of its blocks
  ///   + chains).
  @discardableResult
  public func write<Result>(
    as action: ChangeAction = .write,
    author: String? = nil,
    message: String? = nil,
    at time: Date? = nil,
    _ body: (WriteTransaction) async throws -> Result
  ) async throws -> Result {
    try await commit(
      as: action,
      author: author,
      message: message,
      at: time,
      undoing: nil,
      body
    ).result
  }

  /// Writes one commit and returns it. See ``write(as:author:message:at:_:)``.
  ///
  /// - Returns: the result of the closure, and the commit; the commit is nil if nothing was
  ///   written.
  /// - Throws: as ``write(as:author:message:at:_:)``.
  @discardableResult
  public func commit<Result>(
    as action: ChangeAction = .write,
    author: String? = nil,
    message: String? = nil,
    at time: Date? = nil,
    _ body: (WriteTransaction) async throws -> Result
  ) async throws -> (result: Result, commit: CommitSummary?) {
    try await commit(
      as: action,
      author: author,
      message: message,
      at: time,
      undoing: nil,
      body
    )
  }

  /// Writes one commit with a closure of this package, which calls no closure of the application.
  /// At a home, or if writers wait for the disk, it may share a turn with others of its kind.
  @discardableResult
  package func write<Result>(
    as action: ChangeAction,
    author: String?,
    message: String?,
    at time: Date? = nil,
    sharesTurn: Bool,
    _ body: (WriteTransaction) async throws -> Result
  ) async throws -> Result {
    try await commit(
      as: action,
      author: author,
      message: message,
      at: time,
      undoing: nil,
      // A hook is a closure of the application too: it may wait for a write that came before.
      sharesTurn: sharesTurn && hooks.isEmpty,
      body
    ).result
  }

  /// Writes a commit that may undo another. See ``commit(as:author:message:at:_:)``.
  ///
  /// - Parameters:
  ///   - tracksChanges: whether its changes are tracked even if there are no observers.
  ///   - sharesTurn: whether other writes may share its turn.
  func commit<Result>(
    as action: ChangeAction,
    author: String?,
    message: String?,
    at time: Date?,
    undoing undone: CommitID?,
    tracksChanges: Bool = false,
    sharesTurn: Bool = false,
    _ body: (WriteTransaction) async throws -> Result
  ) async throws -> (result: Result, commit: CommitSummary?) {
    try refuseInsideOwnWrite(
      "write",
      remedy: "Use the closure's transaction; its `attempt` undoes a part that throws. "
        + "In a hook, use the state passed to it."
    )
    try refuseIfReadOnly()
    let author = author ?? Self.author ?? configuration.author
    try Names.validate(author ?? "", as: "an author")
    try Names.validate(message ?? "", as: "a message")
    let time = try time.map { try HybridTime(instant: $0) }
    var request = WriteRequest(
      author: author,
      message: message,
      patienceMilliseconds: configuration.writerPatience.wholeMilliseconds
    )
    request.undone = undone
    request.sharesTurn = sharesTurn
    let handover = ChangeHandover()
    request.committed = { [self] receipt in
      let mustLook = hub.publish(handover.take(), action, receipt)
      if handover.conclude(hub) || mustLook { lookSoon() }
      arrivals.raise()
    }
    defer { if handover.conclude(hub) { lookSoon() } }
    try Task.checkCancellation()
    let (result, receipt) = try await backend.write(request) { writer in
      let transaction = WriteTransaction(
        request,
        to: self,
        writer: writer,
        at: time,
        tracksChanges: tracksChanges
      )
      return try await transaction.run(body, handover, hub)
    }
    if let commit = receipt?.commit { CommitRecorder.note(commit, of: self) }
    return (result, receipt?.commit)
  }
}

extension WriteTransaction {
  /// Runs the closure of a write within its scope.
  ///
  /// `withValue` would run its closure on the global executor, with two changes of thread for a
  /// caller on an actor. A closure that captures the isolation stays on the actor.
  fileprivate func run<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (WriteTransaction) async throws -> Result,
    _ handover: ChangeHandover,
    _ hub: ChangeHub
  ) async throws -> Result {
    do {
      let scope = TransactionScope(self)
      let result = try await TransactionScope.$current.withValue(scope) {
        _ = isolation
        return try await body(self)
      }
      try await handOver(to: handover)
      try await finish()
      handover.announce(to: hub)
      try Task.checkCancellation()
      return result
    } catch {
      await abandon()
      throw error
    }
  }
}

extension Duration {
  /// The duration in milliseconds, rounded down, limited to the range of `Int` and at least 0.
  package var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    guard seconds < Int64.max / 1_000 - 1 else { return .max }
    return Int(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
  }
}
