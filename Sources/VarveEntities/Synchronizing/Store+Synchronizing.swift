package import VarveCore
public import VarveSync

extension Store {
  /// Synchronises with another store in this process, in both directions. Afterwards both have
  /// every commit that either had.
  ///
  /// An interrupted synchronisation can be repeated: received commits are kept, and commits that
  /// both have are not sent again. Data never causes a refusal (R10). A damaged commit holds back
  /// only the commits that depend on it, and is listed in the report.
  ///
  /// ```swift
  /// let report = try await here.sync(with: there)
  /// print(report.receivedCount, "came,", report.sentCount, "went")
  /// ```
  ///
  /// With `presentFirst`, a store without commits receives the present before history: first the
  /// cells of each commit that still count, then the rest in the same call. The store can be read
  /// and written as soon as the present has arrived; operations that need history throw
  /// ``VarveError/Code/historyAwaited`` until it is complete. See <doc:Synchronizing>.
  ///
  /// - Parameters:
  ///   - other: the other store.
  ///   - presentFirst: whether a side without commits receives the present before history.
  ///   - progress: called after each part that arrives here.
  /// - Returns: the report of this side, with what the other withholds and what died there.
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
    var exchange = LocalExchange(
      StoreLog(self),
      StoreLog(other),
      wantsOutlines: presentFirst
    )
    var (report, there) = try await exchange.run(progress)
    report.withheldThereCount = there.withheldCount
    report.diedThere = there.died
    report.replacedReplicaThere = there.replacedReplica
    report.wasRetiredThere = there.wasRetired
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
  ///   - path: the folder; it is created if it does not exist, in a folder that does.
  ///   - progress: called after each part.
  /// - Returns: the report of the commits received from the folder and sent to it.
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store, `invalidArgument` for
  ///   an empty path, `notFound` if the folder cannot be made there, `readOnly`, `busy`, `diskFull`,
  ///   `inputOutput`; `CancellationError`.
  /// - Complexity: O(commits that differ), and O(files in the folder).
  @discardableResult
  public func sync(
    folder path: String,
    progress: (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    try prepareSync()
    return try await completed(SyncFolder(path).synchronize(StoreLog(self), progress: progress))
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
    let peer = Peer(StoreLog(self), ByteChannel(connection), wantsOutlines: presentFirst)
    return try await completed(peer.run(progress: progress))
  }

  /// Returns the log of the store, for a synchronisation that another module drives. What is added
  /// to it reaches observers.
  ///
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store, `readOnly`.
  package func sharedLog() throws -> any CommitLog {
    try prepareSync()
    return StoreLog(self)
  }

  /// Returns the log of the store for reading; the store may be opened read-only.
  ///
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of this store.
  package func readableLog() throws -> any CommitLog {
    try refuseInsideOwnWrite("sync")
    return StoreLog(self)
  }

  private func prepareSync() throws {
    try refuseInsideOwnWrite("sync")
    try refuseIfReadOnly()
  }
}
