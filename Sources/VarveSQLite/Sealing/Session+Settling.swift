import VarveCore

/// Folds the commits of a sealed space that count (R29).
extension Session {
  /// Judges all commits again, folds those that count now, and derives the state anew if one that was
  /// folded counts no more.
  ///
  /// - Complexity: O(commits), and O(cells in the log) if the state is derived anew.
  func settle(_ events: inout LifeEvents) throws {
    guard let view = log.view, view.readsContent else { return }
    try log.signOwnCommits()
    guard try !judge(view) else { return try rebuild { _ in } }
    for (n, time) in try log.withheldTimes() {
      try requireRunning()
      try settle(n, withheldUntil: time, &events)
    }
    try log.storeNextRow()
  }

  /// Records the verdicts of all commits before the state is derived anew.
  func judgeForRebuild() throws {
    guard let view = log.view, view.readsContent else { return }
    try log.signOwnCommits()
    _ = try judge(view)
  }

  /// Records the verdicts of all commits.
  ///
  /// - Returns: whether one of them was folded and counts no more, or was void and counts.
  private func judge(_ view: any SealedView) throws -> Bool {
    let before = try log.verdicts()
    let withheld = Set(try log.withheldTimes().map(\.n))
    let numbers = try log.commitNumbers()
    let known = numbers.filter { before[$0] == nil && !withheld.contains($0) }
    var judging = try Judging(log, view)
    let standings = try judging.standings(Set(known))
    var isOvertaken = false
    for n in numbers {
      let (old, new) = (before[n] ?? .accepted, standings[n] ?? .accepted)
      guard old != new else { continue }
      try log.note(new, of: n)
      if !withheld.contains(n), old.isVoid != new.isVoid || new.isWaiting { isOvertaken = true }
    }
    return isOvertaken
  }

  /// Folds a withheld commit if it counts now.
  private func settle(
    _ n: Int64,
    withheldUntil former: HybridTime,
    _ events: inout LifeEvents
  ) throws {
    let (commit, chainID) = (try log.commit(number: n), try log.commit(ofBlock: n).chainID)
    if let time = try withholdingTime(of: commit, n: n, chainID: chainID) {
      if time != former { try log.withhold(n, until: time) }
      return
    }
    try log.unwithhold(n)
    guard try !log.isVoid(n) else { return log.noteApplied(commit.header, chainID: chainID) }
    try applyStored(commit, n: n, chainID: chainID, &events)
  }

  /// Derives the state from a commit of this log while it is derived anew.
  func refold(_ commit: Commit, n: Int64, chainID: Int64) throws {
    if let time = try withholdingTime(of: commit, n: n, chainID: chainID) {
      return try log.withhold(n, until: time)
    }
    if try log.isWithheld(n) { try log.unwithhold(n) }
    guard try !log.isVoid(n) else { return log.noteApplied(commit.header, chainID: chainID) }
    try applyStored(commit, n: n, chainID: chainID)
  }

  /// Returns the time until which a commit has no effect; nil if it has one now.
  private func withholdingTime(
    of commit: Commit,
    n: Int64,
    chainID: Int64
  ) throws -> HybridTime? {
    guard let view = log.view, view.readsContent, try !log.isWaiting(n) else {
      return LogTables.undecidedTime
    }
    if try log.followsWithheld(commit, chainID) { return LogTables.undecidedTime }
    let isAhead = HybridClock.isWithheld(
      commit.header.time,
      wallMilliseconds: wall.millisecondsSince1970,
      toleranceMilliseconds: toleranceMilliseconds
    )
    let isOwn = try log.isWrittenHere(n, commit.header)
    return isAhead && !isOwn ? commit.header.time : nil
  }
}

extension CommitStanding {
  fileprivate var isVoid: Bool { if case .void = self { true } else { false } }

  fileprivate var isWaiting: Bool { if case .waiting = self { true } else { false } }
}
