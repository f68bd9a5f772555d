import VarveCore

extension SQLiteBackend {
  /// Flushes the write-ahead log to the disk. Content that is no longer in it was flushed when it
  /// was copied into the file.
  package func flush() async throws {
    try checkOpen()
    try await configuration.home?.flush()
    try await flusher?.flushed()
  }

  /// Flushes a commit that was just written, if the store is opened so.
  ///
  /// - Throws: ``VarveError`` with code `outcomeUnknown` if the flush fails: the commit is in the
  ///   store, but a loss of power may take it.
  func flushIfSynchronized(_ commit: CommitID?) async throws {
    guard configuration.isSynchronized else { return }
    do {
      try await configuration.home?.flush()
      try await flusher?.flushed()
    } catch let error as VarveError {
      throw VarveError(
        .outcomeUnknown,
        "the commit was written, but it may not be on the disk: \(error.message)",
        at: place,
        remedy: error.remedy,
        commit: commit
      )
    }
  }
}
