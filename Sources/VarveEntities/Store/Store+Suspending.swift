import VarveCore

/// A pause in which the store has no file open.
extension Store {
  /// Releases the store's file, with every lock on it, until ``resume()``.
  ///
  /// An application calls it before the system suspends it: iOS ends a suspended process that has a
  /// lock on a file which it shares with a widget or an extension. Meanwhile all other calls but
  /// `close` throw `suspended`. A write that had begun ends with that error at its next step and
  /// leaves no commit; if its closure has already returned, it is committed. A read ends with its next
  /// long statement or its closure. Subscriptions and live results go on after ``resume()``, with what
  /// others have written meanwhile.
  ///
  /// ```swift
  /// try await store.suspend()
  /// // The process is suspended, and wakes up again.
  /// try await store.resume()
  /// ```
  ///
  /// A store in memory has nothing to release, and goes on.
  ///
  /// - Parameter patience: the longest time that the call waits for reads and writes to end.
  /// - Throws: ``VarveError``: `busy` if one has not ended, after which the file is released; the store
  ///   is suspended all the same. `nestedTransaction` inside a write of this store, `closed`.
  public func suspend(patience: Duration = .seconds(3)) async throws {
    try refuseInsideOwnWrite("suspend")
    try await backend.suspend(patienceMilliseconds: patience.wholeMilliseconds)
  }

  /// Ends a suspension: the next call opens the file again. Does nothing if there is none.
  ///
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store, `closed`, `inputOutput`
  ///   if the file was moved or replaced meanwhile.
  public func resume() async throws {
    try refuseInsideOwnWrite("resume")
    try await backend.resume()
    if hub.isActive { lookSoon() }
  }
}
