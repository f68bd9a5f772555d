import VarveCore
public import VarveSync

extension Store {
  /// Synchronises with another store of this process, both ways: afterwards both hold every commit
  /// either had.
  ///
  /// It can be interrupted and repeated: what has arrived is kept, and what both have is not sent
  /// again. It is never refused because of data (R10). A commit that is damaged stops only what
  /// depends on it, and is named in the report.
  ///
  /// ```swift
  /// let report = try await here.sync(with: there)
  /// print(report.receivedCount, "came,", report.sentCount, "went")
  /// ```
  ///
  /// With `presentFirst`, a store that has no commits yet gets the present before history: of each
  /// commit first what still counts, then, in the same call, the rest. It can be read and written as
  /// soon as the present is there; what needs history throws ``VarveError/Code/historyAwaited`` until
  /// all of it is. See <doc:Synchronizing>.
  ///
  /// - Parameters:
  ///   - other: the other store.
  ///   - presentFirst: whether a side that has no commits yet gets the present before history.
  ///   - progress: told after each step of this side.
  /// - Returns: what happened, as this side tells it.
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of either store, `readOnly`,
  ///   `busy`, `diskFull`, `damaged` where a log cannot be read at all; `CancellationError`.
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
      // What the other side says of it is nearer to the cause, where this one only heard of it.
      do { _ = try await theirReport } catch let cause as VarveError {
        if (error as? VarveError)?.code == .inputOutput { throw cause }
      }
      throw error
    }
    _ = try await theirReport
    return try await completed(report)
  }

  /// The report, with how much is here in part only.
  private func completed(_ report: SyncReport) async throws -> SyncReport {
    var report = report
    report.partialCount = try await backend.partialCount()
    return report
  }

  /// Synchronises with whatever stands in a folder, and through it with every store that uses it: on
  /// a stick, a share, or a service that copies files about.
  ///
  /// Files in it never change once written. Any number of stores may use it at once; copies that are
  /// not whole yet are passed over, and taken over another time.
  ///
  /// - Parameters:
  ///   - path: the folder, which is made if there is none.
  ///   - progress: told after each part.
  /// - Returns: what came from it and went to it.
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store, `readOnly`, `busy`,
  ///   `diskFull`, `inputOutput`; `CancellationError`.
  /// - Complexity: O(commits that differ), and O(files in the folder).
  @discardableResult
  public func sync(
    folder path: String,
    progress: (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    try prepareSync()
    return try await completed(SyncFolder(path).synchronize(syncLog, progress: progress))
  }

  /// Synchronises with a store on the other side of a connection, where the same is called.
  ///
  /// - Parameters:
  ///   - connection: two streams of bytes; it is closed at the end.
  ///   - presentFirst: whether this store, if it has no commits yet, gets the present before history.
  ///   - progress: told after each step.
  /// - Returns: what happened, as this side tells it.
  /// - Throws: ``VarveError``: `inputOutput` where the connection ends early, `newerFormat` where
  ///   the other side speaks no version this one does, and as ``sync(with:presentFirst:progress:)``.
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

  /// The log as a synchronisation sees it: those who observe hear of what comes.
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
