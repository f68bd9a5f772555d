package import VarveCore

/// What a session wants done. Actions are to be done one after another, in their order.
package enum SyncAction: Sendable {
  /// Sends a frame.
  case send([UInt8])
  /// Asks which of some commits are here.
  case lookUp([CommitID], LookUp)
  /// Asks for everything some commits had seen.
  case close([CommitID])
  /// Asks for predecessors of a commit by their numbers.
  case predecessors(of: CommitID, at: [Int64])
  /// Asks how many commits a frontier does not cover.
  case count(beyond: Frontier)
  /// Asks whether outlines can be handed out, and up to where.
  case outlineHorizon
  /// Asks for commits a frontier does not cover, as outlines up to a horizon if there is one.
  case read(beyond: Frontier, atMost: Int, outline: Horizon?)
  /// Asks for whole commits of a range, from a number on.
  case readRange(CommitRange, from: Int64, atMost: Int)
  /// Asks for blocks of a commit.
  case readBlocks(of: CommitID, from: Int, atMost: Int)
  /// Notes that outlines are to come.
  case expectOutlines(Horizon)
  /// Asks for what is awaited, from a place on.
  case findAwaited(from: Int64)
  /// Adds commits, and brings them to the disk.
  case append([Commit])
  /// Keeps a piece of a large commit aside.
  case stage(CommitPart)
  /// Adds the large commit kept aside.
  case appendStaged(CommitID)
  /// Forgets the large commit kept aside.
  case unstage
  /// Ends: all went through.
  case finish(SyncReport)
  /// Ends: it did not.
  case fail(VarveError)

  /// Whether it is a frame to be sent.
  package var isSending: Bool { if case .send = self { true } else { false } }

  /// What an answer is for.
  package enum LookUp: Sendable, Hashable {
    case heads
    case answer
    case rest
  }
}

/// What became of an action.
package enum SyncEvent: Sendable {
  case lookedUp(Set<CommitID>, SyncAction.LookUp)
  case closed(Frontier)
  case predecessors([CommitID])
  case counted(Int)
  case outlineHorizon(Horizon?)
  case read([LogItem])
  case readRange([LogItem], next: Int64)
  case foundAwaited(AwaitedCommits)
  case readBlocks([Block], VarveError?)
  case appended(AppendOutcome)
}

/// What became of commits that came.
package struct AppendOutcome: Sendable {
  /// A commit that is here now.
  package struct Kept: Sendable, Hashable {
    package var id: CommitID
    package var predecessor: CommitID?

    package init(_ commit: Commit) {
      id = commit.id
      predecessor = commit.predecessor
    }
  }

  /// Those that are here now and on the disk, new or not.
  package var kept: [Kept] = []
  /// Those that cannot be taken over.
  package var parked: [Parked] = []
  /// Those that need one that is not here.
  package var waiting: [(commit: Commit, needed: CommitID)] = []
  /// What those need that were too large to be kept until it is there.
  package var leftOut: [CommitID] = []
  /// What the log says of it.
  package var report = AppendReport()

  package init() {}
}
