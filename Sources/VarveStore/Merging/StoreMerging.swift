public import VarveCore

/// How far a merge is.
public struct MergeProgress: Hashable, Sendable {
  /// Commits taken over so far.
  public let commitCount: Int
  /// Commits there were to take over when the merge began.
  public let totalCount: Int
}

/// What a merge did.
public struct MergeReport: Hashable, Sendable {
  /// How many commits were new here.
  public internal(set) var commitCount = 0
  /// How many of them are withheld until the local clock reaches them (R11).
  public internal(set) var withheldCount = 0
  /// How many commits became whole of which only came before what the present rests on.
  public internal(set) var completedCount = 0
  /// Entities that died by it.
  public internal(set) var died: [EntityID] = []
  /// The name under which this store writes on, where another copy had gone on under its own (R12),
  /// or its own was retired.
  public internal(set) var replacedReplica: ReplicaID?
}

extension Store {
  /// How many bytes of commits are taken over at a time.
  private static let mergePartByteCount = 8 << 20

  /// Takes over everything another store has and this one lacks: one way.
  ///
  /// Merging in any order, any number of times, in parts, leads to the same state. Each part is
  /// taken over whole or not at all; a merge that is interrupted can be run again. A merge is never
  /// refused because of data (R10).
  ///
  /// ```swift
  /// try await here.merge(from: there)
  /// try await there.merge(from: here)  // now both say the same
  /// ```
  ///
  /// - Parameters:
  ///   - other: the store to take from.
  ///   - progress: told after each part.
  /// - Returns: what was new.
  /// - Throws: ``VarveError``: `nestedTransaction` inside a write of either store, `busy`,
  ///   `readOnly`, `damaged` where the other's log is, `diskFull`; `CancellationError`.
  /// - Complexity: O(cells taken over × log entities).
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

  /// Takes over whole what is here in part.
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

  /// Takes over one part.
  private func append(_ commits: [Commit]) async throws -> AppendReport {
    try await takingOver { note in
      for commit in commits { note(commit.id) }
      return try await backend.append(commits)
    }
  }

  /// Takes over commits, and tells those who observe changes.
  ///
  /// - Parameter body: appends them, having noted each.
  func takingOver(
    _ body: (_ note: (CommitID) -> Void) async throws -> AppendReport
  ) async throws -> AppendReport {
    var ids: [CommitID] = []
    defer { hub.forgetMerged(ids) }
    var report = try await body { id in
      if hub.noteMerged(id) { ids.append(id) }
    }
    // What came may say that this replica writes no more.
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

  /// What died in one part may have come back in a later one.
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
