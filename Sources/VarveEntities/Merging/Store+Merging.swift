import VarveCore
import VarveSync

extension Store {
  /// Merges everything that another store has and this one lacks, in one direction.
  ///
  /// Merging in any order, repeatedly or in parts leads to the same state. Each part is merged
  /// completely or not at all; an interrupted merge can be repeated. A merge is never refused
  /// because of data (R10). Commits that the other store has only partially are not merged until it
  /// has all of them, nor are those that depend on them.
  ///
  /// ```swift
  /// try await here.merge(from: there)
  /// try await there.merge(from: here)  // now both are equal
  /// ```
  ///
  /// - Parameters:
  ///   - other: the store to merge from.
  ///   - progress: called after each part.
  /// - Returns: the report of the new commits.
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of either store, `busy`,
  ///   `readOnly`, `damaged` if a commit of the other store cannot be read, after all that do not
  ///   depend on it have been merged, `diskFull`; `CancellationError`.
  /// - Complexity: O(cells merged × log entities).
  @discardableResult
  public func merge(
    from other: Store,
    progress: (MergeProgress) -> Void = { _ in }
  ) async throws -> MergeReport {
    try refuseInsideOwnWrite("merge")
    try other.refuseInsideOwnWrite("merge")
    try refuseIfReadOnly()
    var exchange = LocalExchange(
      StoreLog(self, isFlushed: false),
      SourceLog(base: other.backend),
      isOneWay: true
    )
    let (here, there) = try await exchange.run { step in
      let count = step.receivedCount
      progress(MergeProgress(commitCount: count, totalCount: max(step.toReceiveCount, count)))
    }
    // Commits that depend on an unreadable one stay in the other store; all others have been
    // merged.
    if let parked = there.parked.first ?? here.parked.first { throw parked.error }
    var report = MergeReport(here)
    report.heldBackCount = there.heldBackCount
    report.died = try await stillDead(here.died)
    report.partialCount = try await backend.partialCount()
    return report
  }

  /// Merges commits and notifies observers.
  ///
  /// - Parameter body: appends the commits after noting each.
  func takingOver(
    _ body: (_ note: (CommitID) -> Void) async throws -> AppendReport
  ) async throws -> AppendReport {
    var ids: [CommitID] = []
    defer {
      hub.forgetMerged(ids)
      arrivals.raise()
    }
    var report = try await body { id in
      if hub.noteMerged(id) { ids.append(id) }
    }
    // A merged commit may have retired this replica.
    if report.addedCount > 0, let fresh = try await backend.leaveRetired() {
      report.replacedReplica = fresh
      report.wasRetired = true
    }
    do {
      try await reportNews()
    } catch {
      hub.finish(error)
    }
    return report
  }

  /// Notifies observers of the commits that count since the membership of the space has changed.
  func reportSettled() async {
    arrivals.raise()
    do {
      try await reportNews()
    } catch {
      hub.finish(error)
    }
  }

  /// Filters out entities that died in one part and came back in a later one.
  private func stillDead(_ ids: [EntityID]) async throws -> [EntityID] {
    guard !ids.isEmpty else { return [] }
    var seen: Set<EntityID> = []
    return try await backend.read(at: .now) { reader in
      var dead: [EntityID] = []
      for id in ids where seen.insert(id).inserted {
        if try await reader.isDead(id) { dead.append(id) }
      }
      return dead
    }
  }
}
