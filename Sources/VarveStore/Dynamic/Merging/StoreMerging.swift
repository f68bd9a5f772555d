public import VarveCore

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
  /// The entities that died in the merge.
  public internal(set) var died: [EntityID] = []
  /// The new name of this replica, if another copy had used its name (R12) or its name was retired.
  public internal(set) var replacedReplica: ReplicaID?
}

extension Store {
  /// The size of the commits that are merged at a time.
  private static let mergePartByteCount = 8 << 20

  /// Merges everything that another store has and this one lacks, in one direction.
  ///
  /// Merging in any order, repeatedly or in parts leads to the same state. Each part is merged
  /// completely or not at all; an interrupted merge can be repeated. A merge is never refused
  /// because of data (R10).
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
  ///   `readOnly`, `damaged` if the other store's log is, `diskFull`; `CancellationError`.
  /// - Complexity: O(cells merged × log entities).
  @discardableResult
  public func merge(
    from other: Store,
    progress: (MergeProgress) -> Void = { _ in }
  ) async throws -> MergeReport {
    try refuseInsideOwnWrite("merge")
    try other.refuseInsideOwnWrite("merge")
    try refuseIfReadOnly()
    var report = MergeReport()
    var died: [EntityID] = []
    var covered = CommitCover(try await other.backend.common(with: backend).heads)
    let total = try await other.backend.commitCount(beyond: covered.frontier)
    while true {
      try Task.checkCancellation()
      let commits = try await other.backend.commits(
        beyond: covered.frontier,
        atMost: Self.mergePartByteCount
      )
      guard !commits.isEmpty else { break }
      guard !commits.contains(where: \.isOutline) else {
        throw Horizon.awaited(
          "the other store has commits in part: it can be synchronised, and merged from once it has history"
        )
      }
      let part = try await append(commits)
      for commit in commits { covered.insert(commit) }
      report.commitCount += part.addedCount
      report.withheldCount += part.withheldCount
      report.replacedReplica = part.replacedReplica ?? report.replacedReplica
      died += part.died
      progress(
        MergeProgress(
          commitCount: report.commitCount,
          totalCount: max(total, report.commitCount)
        )
      )
    }
    report.completedCount = try await completeHistory(from: other)
    report.died = try await stillDead(died)
    return report
  }

  /// Completes the partially replicated commits.
  private func completeHistory(from other: Store) async throws -> Int {
    var count = 0
    var place: Int64? = 0
    while let start = place {
      let awaited = try await backend.awaited(from: start, atMost: 1_000)
      for range in awaited.ranges {
        var next: Int64 = 0
        while next <= range.last.sequence {
          try Task.checkCancellation()
          let (items, following) = try await other.backend.items(
            of: range,
            from: next,
            atMost: Self.mergePartByteCount,
            wholeUpTo: .max
          )
          let commits = items.compactMap {
            if case .commit(let commit) = $0 { commit } else { nil }
          }
          if !commits.isEmpty { count += try await append(commits).completedCount }
          next = following
        }
      }
      place = awaited.next
    }
    return count
  }

  /// Merges one part.
  private func append(_ commits: [Commit]) async throws -> AppendReport {
    try await takingOver { note in
      for commit in commits { note(commit.id) }
      return try await backend.append(commits)
    }
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
