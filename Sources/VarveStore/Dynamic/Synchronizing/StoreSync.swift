import VarveCore
public import VarveSync

extension Store {
  /// Synchronises with another store in this process, in both directions. Afterwards both have
  /// every commit that either had.
  ///
  /// An interrupted synchronisation can be repeated: what arrived is kept, and commits that both
  /// have are not sent again. Data never causes a refusal (R10). A damaged commit holds back only
  /// the commits that depend on it, and is listed in the report.
  ///
  /// ```swift
  /// let report = try await here.sync(with: there)
  /// print(report.receivedCount, "came,", report.sentCount, "went")
  /// ```
  ///
  /// With `presentFirst`, a store without commits receives the present before history: first what
  /// still counts of each commit, then the rest in the same call. The store can be read and written
  /// as soon as the present has arrived; operations that need history throw
  /// ``VarveError/Code/historyAwaited`` until it is complete. See <doc:Synchronizing>.
  ///
  /// - Parameters:
  ///   - other: the other store.
  ///   - presentFirst: whether a side without commits receives the present before history.
  ///   - progress: called after each step of this side.
  /// - Returns: the report of this side.
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of either store, `readOnly`,
  ///   `busy`, `diskFull`, `damaged` if a log cannot be read at all; `CancellationError`.
  /// - Complexity: O(commits that differ), and O(chains).
  @discardableResult
  public func sync(
    with other: Store,
    presentFirst: Bool = false,
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    try prepareSync()
    try other.prepareSync()
    let (here, there) = InProcessChannel.pair()
    let (ours, theirs) = (syncLog, other.syncLog)
    async let theirReport = Peer(theirs, there, wantsOutlines: presentFirst).run()
    let report: SyncReport
    do {
      report = try await Peer(ours, here, wantsOutlines: presentFirst).run(progress: progress)
    } catch {
      // An `inputOutput` here is only a consequence; the other side's error is the cause.
      do { _ = try await theirReport } catch let cause as VarveError {
        if (error as? VarveError)?.code == .inputOutput { throw cause }
      }
      throw error
    }
    _ = try await theirReport
    return try await completed(report)
  }

  /// Adds the number of partially replicated commits to a report.
  private func completed(_ report: SyncReport) async throws -> SyncReport {
    var report = report
    report.partialCount = try await backend.partialCount()
    return report
  }

  /// Synchronises with a folder, and through it with every store that uses the folder: on a memory
  /// stick, a share, or a service that copies files.
  ///
  /// Files in the folder never change once written. Any number of stores may use it concurrently.
  /// Files that are not completely copied yet are skipped, and read by a later synchronisation.
  ///
  /// - Parameters:
  ///   - path: the folder; it is created if it does not exist.
  ///   - progress: called after each part.
  /// - Returns: what was received from the folder and sent to it.
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store, `readOnly`,
  ///   `busy`, `diskFull`, `inputOutput`; `CancellationError`.
  /// - Complexity: O(commits that differ), and O(files in the folder).
  @discardableResult
  public func sync(
    folder path: String,
    progress: (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    try prepareSync()
    return try await completed(SyncFolder(path).synchronize(syncLog, progress: progress))
  }

  /// Synchronises with a store at the other end of a connection, which makes the same call.
  ///
  /// - Parameters:
  ///   - connection: two byte streams; it is closed at the end.
  ///   - presentFirst: whether this store receives the present before history if it has no commits.
  ///   - progress: called after each step.
  /// - Returns: the report of this side.
  /// - Throws: ``VarveError``: `inputOutput` if the connection ends early, `newerFormat` if the two
  ///   sides have no protocol version in common, and as ``sync(with:presentFirst:progress:)``.
  @discardableResult
  public func sync(
    over connection: some ByteConnection,
    presentFirst: Bool = false,
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    try prepareSync()
    let peer = Peer(syncLog, ByteChannel(connection), wantsOutlines: presentFirst)
    return try await completed(peer.run(progress: progress))
  }

  private func prepareSync() throws {
    try refuseInsideOwnWrite("sync")
    try refuseIfReadOnly()
  }

  /// The log for a synchronisation. Commits added through it notify observers.
  package var syncLog: BackendLog {
    let adding: BackendLog.Adding = { ids, add in
      try await self.takingOver { note in
        for id in ids { note(id) }
        return try await add()
      }
    }
    return BackendLog(backend, adding: adding)
  }
}
