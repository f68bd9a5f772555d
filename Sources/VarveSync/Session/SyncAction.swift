package import VarveCore

/// An action a session requests. Actions are performed one after another, in order.
package enum SyncAction: Sendable {
  /// Sends a frame.
  case send([UInt8])
  /// Hands a commit to the other session, which is in this process.
  case handOver(Commit)
  /// Asks which of the commits are here.
  case lookUp([CommitID], LookUp)
  /// Asks for the causal closure of commits: everything they had seen.
  case causalClosure(of: [CommitID])
  /// Asks for predecessors of a commit by their numbers.
  case predecessors(of: CommitID, at: [Int64])
  /// Asks for the number of commits beyond a frontier.
  case count(beyond: Frontier)
  /// Asks whether outlines can be sent, and up to which horizon.
  case outlineHorizon
  /// Asks for commits beyond a frontier, as outlines up to a horizon if there is one.
  case read(beyond: Frontier, atMost: Int, outline: Horizon?)
  /// Asks for complete commits of a range, from a number on.
  case readRange(CommitRange, from: Int64, atMost: Int)
  /// Asks for blocks of a commit.
  case readBlocks(of: CommitID, from: Int, atMost: Int)
  /// Records that outlines will arrive.
  case expectOutlines(Horizon)
  /// Asks for the awaited commits, from a place on.
  case findAwaited(from: Int64)
  /// Adds commits and flushes them to the disk.
  case append([Commit])
  /// Stages a part of a large commit.
  case stage(CommitPart)
  /// Adds the staged commit.
  case appendStaged(CommitID)
  /// Discards the staged commit.
  case unstage
  /// Ends with success.
  case finish(SyncReport)
  /// Ends with an error.
  case fail(VarveError)

  /// Whether the action sends a frame.
  package var isSending: Bool { if case .send = self { true } else { false } }

  /// The purpose of a lookup.
  package enum LookUp: Sendable, Hashable {
    case heads
    case answer
    case rest
  }
}

/// The outcome of an action.
package enum SyncEvent: Sendable {
  case lookedUp(Set<CommitID>, SyncAction.LookUp)
  case causalClosure(Frontier)
  case predecessors([CommitID])
  case counted(Int)
  case outlineHorizon(Horizon?)
  case read([LogItem])
  case readRange([LogItem], next: Int64)
  case foundAwaited(AwaitedCommits)
  case readBlocks([Block], VarveError?)
  case appended(AppendOutcome)
}

/// The outcome for commits that arrived.
package struct AppendOutcome: Sendable {
  /// A commit that is in the log now.
  package struct Kept: Sendable, Hashable {
    package var id: CommitID
    package var predecessor: CommitID?

    package init(_ commit: Commit) {
      id = commit.id
      predecessor = commit.predecessor
    }
  }

  /// The commits that are now in the log and on the disk, new or not.
  package var kept: [Kept] = []
  /// The commits that cannot be added.
  package var parked: [Parked] = []
  /// The commits that depend on a missing one.
  package var waiting: [(commit: Commit, needed: CommitID)] = []
  /// The missing dependencies of commits that were too large to keep.
  package var leftOut: [CommitID] = []
  /// The log's report of the addition.
  package var report = AppendReport()

  package init() {}
}
