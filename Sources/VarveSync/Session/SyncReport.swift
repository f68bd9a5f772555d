public import VarveCore

/// A commit that could not be read or taken over, and why. It stops only what depends on it.
public struct Parked: Sendable, Hashable {
  /// The commit; its hash is zero where not even that could be read.
  public let commit: CommitID
  /// What is wrong with it.
  public let error: VarveError

  package init(commit: CommitID, error: VarveError) {
    self.commit = commit
    self.error = error
  }
}

/// A commit that did not come, and how many wait for it.
public struct Waiting: Sendable, Hashable {
  /// What is missing.
  public let needed: CommitID
  /// How many commits came and were left out for it; they come again with the next synchronisation.
  public let commitCount: Int

  package init(needed: CommitID, commitCount: Int) {
    self.needed = needed
    self.commitCount = commitCount
  }
}

extension Waiting: CustomStringConvertible {
  /// `3 commits wait for commit 7 of replica …`
  public var description: String {
    let wait = commitCount == 1 ? "1 commit waits" : "\(commitCount) commits wait"
    return "\(wait) for commit \(needed.sequence) of replica \(needed.replica)"
  }
}

/// What a synchronisation did, as one of the two sides tells it.
public struct SyncReport: Sendable, Hashable {
  /// How many commits came that were new here.
  public package(set) var receivedCount = 0
  /// How many of them are withheld until the local clock reaches them (R11).
  public package(set) var withheldCount = 0
  /// How many commits became whole of which only came before what the present rests on.
  public package(set) var completedCount = 0
  /// How many commits are here only in part, and go on waiting for who has them whole.
  public package(set) var partialCount = 0
  /// Entities that died by what came; some may have come back by what came after.
  public package(set) var died: [EntityID] = []
  /// The name under which this store writes on, where another copy had gone on under its own (R12).
  public package(set) var replacedReplica: ReplicaID?
  /// How many commits were sent.
  public package(set) var sentCount = 0
  /// How many commits were not sent, because what they depend on cannot be taken over.
  public package(set) var heldBackCount = 0
  /// How many bytes of commits were sent.
  public package(set) var sentByteCount = 0
  /// Commits that could not be read here, or not taken over.
  public package(set) var parked: [Parked] = []
  /// Commits the other side could not read or take over.
  public package(set) var parkedThere: [Parked] = []
  /// What commits that came wait for.
  public package(set) var waiting: [Waiting] = []
  /// Files of a folder that are not whole: copies under way, or damaged ones, which are written
  /// again by the next store that has their commits.
  public package(set) var incompleteFiles: [String] = []

  package init() {}

  /// Whether both sides now have all the other had.
  public var isComplete: Bool {
    heldBackCount == 0 && parked.isEmpty && parkedThere.isEmpty && waiting.isEmpty
      && incompleteFiles.isEmpty && partialCount == 0
  }
}

/// How far a synchronisation is.
public struct SyncProgress: Sendable, Hashable {
  /// Commits that came and are kept.
  public package(set) var receivedCount = 0
  /// Commits there are to come, as far as is known.
  public package(set) var toReceiveCount = 0
  /// Commits that were sent.
  public package(set) var sentCount = 0
  /// Commits there are to send, as far as is known.
  public package(set) var toSendCount = 0
  /// Commits that became whole, after the present had come.
  public package(set) var completedCount = 0

  package init() {}
}
