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
  case appendStaged
  /// Discards the staged commit.
  case unstage
  /// Ends with success.
  case finish(SyncReport)
  /// Ends with an error.
  case fail(VarveError)

  /// Whether the action sends a frame.
  package var isSending: Bool { if case .send = self { true } else { false } }

  /// Whether the action adds commits to the log.
  package var isAddition: Bool {
    switch self {
    case .append, .appendStaged: true
    default: false
    }
  }

  /// The purpose of a lookup.
  package enum LookUp: Sendable, Hashable {
    case heads
    case answer
    case rest
    case promised
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
