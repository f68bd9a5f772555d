public import Foundation
public import VarveCore

extension Store {
  /// Writes one commit: all that the closure writes through its transaction, or nothing if it
  /// throws or its task is cancelled. A closure that writes nothing makes no commit.
  ///
  /// Writers take turns, in all processes that have the store open; the closure runs when its turn
  /// has come, and holds others up until it returns.
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
  ///   - action: what those who observe changes are told it is.
  ///   - author: who writes; empty where nobody is named.
  ///   - message: why; may be empty.
  ///   - time: the time every value carries unless told otherwise. Without one, values hold from
  ///     the commit's own time. A past time does not displace a later value.
  ///   - body: writes through the transaction it is given.
  /// - Returns: what the closure returns.
  /// - Throws: what the closure throws; ``VarveError``: `nestedTransaction` inside another write of
  ///   this store, `busy` where another writer does not finish, `readOnly`, `diskFull`,
  ///   `timeOutOfRange`, `invalidArgument` for a text over 64 KiB; `CancellationError`.
  /// - Complexity: that of what the closure writes; of the commit itself O(bytes of its blocks + chains).
  @discardableResult
  public func write<Result>(
    as action: ChangeAction = .write,
    author: String = "",
    message: String = "",
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

  /// Writes one commit and answers which. See ``write(as:author:message:at:_:)``.
  ///
  /// - Returns: what the closure returns, and the commit; nil where nothing was written.
  /// - Throws: as ``write(as:author:message:at:_:)``.
  @discardableResult
  public func commit<Result>(
    as action: ChangeAction = .write,
    author: String = "",
    message: String = "",
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

  /// The same, of a commit that undoes another.
  func commit<Result>(
    as action: ChangeAction,
    author: String,
    message: String,
    at time: Date?,
    undoing undone: CommitID?,
    _ body: (WriteTransaction) async throws -> Result
  ) async throws -> (result: Result, commit: CommitSummary?) {
    try refuseInsideOwnWrite("write")
    try refuseIfReadOnly()
    try Names.validate(author, as: "an author")
    try Names.validate(message, as: "a message")
    let time = try time.map { try HybridTime(instant: $0) }
    var request = WriteRequest(
      author: author,
      message: message,
      patienceMilliseconds: configuration.writerPatience.wholeMilliseconds
    )
    request.undone = undone
    let handover = ChangeHandover()
    request.committed = { [self] commit in
      let mustLook = hub.publish(handover.take(), action, commit)
      if handover.conclude(hub) || mustLook { lookSoon() }
    }
    defer { if handover.conclude(hub) { lookSoon() } }
    try Task.checkCancellation()
    let (result, receipt) = try await backend.write(request) { writer in
      let transaction = WriteTransaction(request, to: self, writer: writer, at: time)
      return try await transaction.run(body, handover, hub)
    }
    return (result, receipt?.commit)
  }
}

extension WriteTransaction {
  /// Runs the closure of a write, and ends with it.
  ///
  /// `withValue` would run its closure on the global executor, two changes of thread for a caller on
  /// an actor; one that captures the isolation stays where it is.
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
  /// Milliseconds, rounded down, as far as an `Int` goes; at least 0.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    guard seconds < Int64.max / 1_000 - 1 else { return .max }
    return Int(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
  }
}
