package import VarveCore

/// Performs a session's actions on a log.
package struct SyncPerformer {
  private let log: any CommitLog
  private let limits: SyncLimits
  private var stage: Stage?
  /// The horizon up to which the other side sends outlines; nil if it sends whole commits.
  private var outline: Horizon?
  /// The commits that the caller may not hand over, and those that follow them.
  private var refused: Set<CommitID> = []

  package init(_ log: any CommitLog, limits: SyncLimits = SyncLimits()) {
    self.log = log
    self.limits = limits
  }

  /// Performs an action and returns its outcome; nil if the session needs none, or if the action
  /// does not concern the log.
  package mutating func perform(_ action: SyncAction) async throws -> SyncEvent? {
    switch action {
    case .send, .handOver, .finish, .fail: return nil
    case .lookUp(let ids, let purpose):
      return .lookedUp(try await log.held(among: ids), purpose)
    case .causalClosure(let ids): return .causalClosure(try await log.seen(by: ids))
    case .predecessors(let id, let sequences):
      return .predecessors(try await log.predecessors(of: id, at: sequences))
    case .count(let frontier): return .counted(try await log.commitCount(beyond: frontier))
    case .read(let frontier, let byteCount, let outline):
      return .read(
        try await log.items(
          beyond: frontier,
          atMost: byteCount,
          wholeUpTo: limits.whole,
          outline: outline
        )
      )
    case .outlineHorizon: return .outlineHorizon(try await log.outlineHorizon())
    case .expectOutlines(let horizon):
      outline = horizon
      try await log.expectOutlines(of: horizon)
      return nil
    case .findAwaited(let place):
      return .foundAwaited(try await log.awaited(from: place, atMost: limits.headCount))
    case .readRange(let range, let sequence, let byteCount):
      let (items, next) = try await log.items(
        of: range,
        from: sequence,
        atMost: byteCount,
        wholeUpTo: limits.whole
      )
      return .readRange(items, next: next)
    case .readBlocks(let id, let index, let byteCount):
      do {
        return .readBlocks(try await log.blocks(of: id, from: index, atMost: byteCount), nil)
      } catch let error as VarveError where error.code == .damaged {
        return .readBlocks([], error)
      }
    case .append(let commits): return .appended(try await append(commits))
    case .stage(.header(let header)):
      stage = try Stage(header, isSealed: log.isEncrypted)
      return nil
    case .stage(.block(let block)):
      try stage?.add(block)
      return nil
    case .appendStaged: return .appended(try await appendStaged())
    case .unstage:
      stage = nil
      return nil
    }
  }

  /// Performs actions in order, and adds the outcomes of the additions among them.
  package mutating func perform(
    _ actions: [SyncAction],
    into outcome: inout AppendOutcome
  ) async throws {
    for action in actions {
      if case .appended(let addition)? = try await perform(action) { outcome.add(addition) }
    }
  }

  /// Adds commits together, or one by one if some of them cannot be added.
  private mutating func append(_ commits: [Commit]) async throws -> AppendOutcome {
    var outcome = AppendOutcome()
    do {
      outcome.report = try await log.append(commits, outline: outline)
      outcome.kept = commits.map(AppendOutcome.Kept.init)
    } catch let error as VarveError where error.isOfCommit {
      for commit in commits { try await append(commit, &outcome) }
    }
    try await log.flush()
    return outcome
  }

  private mutating func append(
    _ commit: Commit,
    _ outcome: inout AppendOutcome
  ) async throws {
    do {
      if let needed = try await missing(for: commit) {
        guard !refused.contains(needed) else { return park(commit, .followsRefused, &outcome) }
        outcome.waiting.append((commit, needed))
        return
      }
      outcome.report.add(try await log.append([commit], outline: outline))
      outcome.kept.append(AppendOutcome.Kept(commit))
    } catch let error as VarveError where error.isOfCommit {
      park(commit, error, &outcome)
    }
  }

  private mutating func park(
    _ commit: Commit,
    _ error: VarveError,
    _ outcome: inout AppendOutcome
  ) {
    outcome.parked.append(Parked(commit: commit.id, error: error))
    if error.code == .forbidden { refused.insert(commit.id) }
  }

  private func missing(for commit: Commit) async throws -> CommitID? {
    let held = try await log.held(among: commit.needed + [commit.id])
    guard !held.contains(commit.id) else { return nil }
    return commit.needed.first { !held.contains($0) }
  }

  private mutating func appendStaged() async throws -> AppendOutcome {
    var outcome = AppendOutcome()
    guard let stage else { return outcome }
    self.stage = nil
    if let needed = try await missing(for: stage.head) {
      guard !refused.contains(needed) else {
        park(stage.head, .followsRefused, &outcome)
        return outcome
      }
      outcome.leftOut.append(needed)
      return outcome
    }
    do {
      let next = try stage.parts()
      outcome.report = try await log.append(outline: outline) { try next() }
      outcome.kept.append(AppendOutcome.Kept(stage.head))
    } catch let error as VarveError where error.isOfCommit {
      park(stage.head, error, &outcome)
    }
    try await log.flush()
    return outcome
  }
}

extension VarveError {
  /// Whether the error concerns the commit to be added, not the log.
  fileprivate var isOfCommit: Bool {
    switch code {
    case .damaged, .newerFormat, .missingDependencies, .unsupported, .forbidden: true
    default: false
    }
  }

  /// The error of a commit that names a refused one as seen.
  fileprivate static var followsRefused: VarveError {
    VarveError(
      .forbidden,
      "it follows a commit that was not taken",
      remedy: "Hand that one over with the token of an admin."
    )
  }
}
