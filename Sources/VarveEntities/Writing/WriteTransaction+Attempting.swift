extension WriteTransaction {
  /// Runs a part of the transaction that is undone if it throws. The rest of the transaction stays,
  /// and goes on.
  ///
  /// ```swift
  /// try await store.write { tx in
  ///   for row in rows {
  ///     do {
  ///       try await tx.attempt { try await tx.create("Hat", id: row.id, row.properties) }
  ///     } catch let error as VarveError where error.code == .duplicateIdentifier {
  ///       skipped.append(row.id)
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// What is undone leaves no trace: no history, no used number, no observed change. An operation
  /// that failed halfway fails the attempt, even if the closure catches its error, and the
  /// transaction goes on. Values that the attempt wrote must be unique at its end. What erasure
  /// hooks did outside the store is not undone.
  ///
  /// Attempts nest. Child tasks of the closure take part in the attempt. Other tasks that share the
  /// transaction wait until it ends, so the closure must not wait for one of them.
  ///
  /// - Parameter body: writes and reads through the transaction.
  /// - Returns: the result of the closure.
  /// - Throws: the errors of the closure; ``VarveError`` with code `validationFailed` if values are
  ///   not unique at its end, and `transactionEnded`.
  /// - Complexity: that of the closure; beginning and undoing take O(bytes of the open block). The
  ///   pages of the file that it changes stay in memory until it ends.
  @discardableResult
  public func attempt<Result>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    noteAttempt()
    return try await turnstile.pass { writer in
      try await writer.beginAttempt()
      let attempt = Turnstile(writer, name: "transaction's attempt")
      do {
        let result = try await run(body, in: TransactionScope(self, attempt: attempt))
        await attempt.end()
        try await writer.keepAttempt()
        return result
      } catch {
        await attempt.end()
        try await writer.undoAttempt()
        throw error
      }
    }
  }

  /// Runs a closure within a scope, on the caller's actor.
  private func run<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result,
    in scope: TransactionScope
  ) async throws -> Result {
    try await TransactionScope.$current.withValue(scope) {
      _ = isolation
      return try await body()
    }
  }
}
