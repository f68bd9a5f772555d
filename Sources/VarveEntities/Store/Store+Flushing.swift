import VarveCore

extension Store {
  /// Flushes everything committed so far to the disk, so that it survives a loss of power.
  ///
  /// A commit survives the end of the process at once, but for speed the system decides when it
  /// reaches the disk. Until then a loss of power may lose the last commits, each as a whole, and
  /// never damages the store. Call this before confirming to users that their data is safe; many
  /// commits can share one call.
  ///
  /// ```swift
  /// try await store.create("Order", ["total": 39.5])
  /// try await store.flush()
  /// ```
  ///
  /// - Throws: ``VarveError``: `inputOutput` if the disk fails, `closed`.
  /// - Complexity: one flush of what the system has not written yet; none if there is nothing to
  ///   write or the store is in memory.
  public func flush() async throws {
    try await backend.flush()
  }
}
