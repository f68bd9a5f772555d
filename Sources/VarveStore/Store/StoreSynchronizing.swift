import VarveCore

extension Store {
  /// Brings everything committed so far to the disk, so that it survives a loss of power.
  ///
  /// What a write commits survives the end of the process at once. For speed, it is left to the
  /// system when it reaches the disk: until then a loss of power may take the last commits, whole
  /// ones, and never leaves the store damaged. Call this before telling somebody that what they gave
  /// is safe; many commits can share one call.
  ///
  /// ```swift
  /// try await store.create("Order", ["total": 39.5])
  /// try await store.synchronize()
  /// ```
  ///
  /// - Throws: ``VarveError``: `inputOutput` where the disk refuses, `closed`.
  /// - Complexity: one flush of what the system has not written yet; nothing where that is nothing,
  ///   or where the store is memory of the process.
  public func synchronize() async throws {
    try await backend.synchronize()
  }
}
