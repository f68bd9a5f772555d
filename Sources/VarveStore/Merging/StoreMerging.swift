public import VarveCore
import VarveSync

/// The progress of a merge.
public struct MergeProgress: Hashable, Sendable {
  /// The number of commits merged so far.
  public let commitCount: Int
  /// The number of commits to merge, as of the beginning.
  public let totalCount: Int
}

/// The outcome of a merge.
public struct MergeReport: Hashable, Sendable {
  /// The number of commits that were new.
  public internal(set) var commitCount = 0
  /// How many of them are withheld until the local clock reaches them (R11).
  public internal(set) var withheldCount = 0
  /// The number of partially replicated commits that became complete.
  public internal(set) var completedCount = 0
  /// The number of commits that did not come, because the other store has them only in part, or
  /// because they depend on one of those.
  public internal(set) var heldBackCount = 0
  /// The entities that died in the merge.
  public internal(set) var died: [EntityID] = []
  /// The new name of this replica, if another copy had used its name (R12) or its name was retired.
  public internal(set) var replacedReplica: ReplicaID?
}

extension MergeReport {
  fileprivate init(_ report: SyncReport) {
    commitCount = report.receivedCount
    withheldCount = report.withheldCount
    completedCount = report.completedCount
    replacedReplica = report.replacedReplica
  }
}

extension Store {
  /// Merges everything that another store has and this one lacks, in one direction.
  ///
  /// Merging in any order, repeatedly or in parts leads to the same state. Each part is merged
  /// completely or not at all; an interrupted merge can be repeated. A merge is never refused
  /// because of data (R10). Commits the other store has only in part stay there, with those that
  /// depend on them, until it has all of them.
  ///
  /// ```swift
  /// try await here.merge(from: there)
  /// try await there.merge(from: here)  // now both say the same
  /// ```
  ///
  /// - Parameters:
  ///   - other: the store to merge from.
  ///   - progress: called after each part.
  /// - Returns: what was new.
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of either store, `busy`,
  ///   `readOnly`, `damaged` if a commit of the other store cannot be read, once all that does not
  ///   depend on it has come, `diskFull`; `CancellationError`.
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
    // What rests on a commit that cannot be read stays where it is; all else has come.
    if let parked = there.parked.first ?? here.parked.first { throw parked.error }
    var report = MergeReport(here)
    report.heldBackCount = there.heldBackCount
    report.died = try await stillDead(here.died)
    return report
  }

  /// Merges commits and notifies observers.
  ///
  /// - Parameter body: appends the commits after noting each.
  func takingOver(
    _ body: (_ note: (CommitID) -> Void) async throws -> AppendReport
  ) async throws -> AppendReport {
    var ids: [CommitID] = []
    defer { hub.forgetMerged(ids) }
    var report = try await body { id in
      if hub.noteMerged(id) { ids.append(id) }
    }
    // A merged commit may have retired this replica.
    if report.addedCount > 0, let fresh = try await backend.leaveRetired() {
      report.replacedReplica = fresh
    }
    do {
      try await catchUp()
    } catch {
      hub.finish(error)
    }
    return report
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
