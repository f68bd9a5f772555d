public import VarveCore

extension Store {
  /// Returns the size of the store's file, and of each table in it: those of the log and those
  /// derived from it.
  ///
  /// ```swift
  /// let sizes = try await store.storageSizes()
  /// print(sizes.fileByteCount, sizes.logByteCount, sizes.derivedByteCount)
  /// ```
  ///
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store, `closed`.
  /// - Complexity: O(pages of the file), or O(rows) if the database does not count pages by table;
  ///   see ``StorageSizes/measure``.
  public func storageSizes() async throws -> StorageSizes {
    try refuseInsideOwnWrite("storageSizes")
    return try await backend.storage()
  }
}

extension Reading {
  /// Returns the number of commits and of versions of values in the log; for a past state, of those
  /// that count in it.
  ///
  /// ```swift
  /// let tally = try await store.tally()
  /// print("\(tally.valueCount) versions in \(tally.commitCount) commits")
  /// ```
  ///
  /// - Parameter progress: called after each commit.
  /// - Throws: ``VarveError`` with code `damaged` if the log cannot be read.
  /// - Complexity: O(cells in the log).
  public func tally(
    _ progress: @Sendable (TallyProgress) -> Void = { _ in }
  ) async throws -> LogTally {
    try await reading { try await $0.reader.tally(progress) }
  }
}
