public import VarveCore

extension Store {
  /// What the store takes up: its file, and in it each table, those of the log and those derived
  /// from it.
  ///
  /// ```swift
  /// let sizes = try await store.storageSizes()
  /// print(sizes.fileByteCount, sizes.logByteCount, sizes.derivedByteCount)
  /// ```
  ///
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store, `closed`.
  /// - Complexity: O(pages of the file), or O(rows) where the database does not count pages by
  ///   table; ``StorageSizes/measure`` says which.
  public func storageSizes() async throws -> StorageSizes {
    try refuseInsideOwnWrite("storageSizes")
    return try await backend.storage()
  }
}

extension Reading {
  /// How much the log holds: commits, and every version of every value. Of a past state, what
  /// counts in it.
  ///
  /// ```swift
  /// let tally = try await store.tally()
  /// print("\(tally.valueCount) versions in \(tally.commitCount) commits")
  /// ```
  ///
  /// - Parameter progress: told after each commit how far it is.
  /// - Throws: ``VarveError`` with code `damaged` where the log cannot be read.
  /// - Complexity: O(cells in the log).
  public func tally(
    _ progress: @Sendable (TallyProgress) -> Void = { _ in }
  ) async throws -> LogTally {
    try await reading { try await $0.backend.tally(progress) }
  }
}
