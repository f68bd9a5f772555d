public import VarveCore

/// A commit that could not be read or added, and why. Only the commits that depend on it are
/// affected.
public struct Parked: Sendable, Hashable {
  /// The commit; its hash is zero if not even that could be read.
  public let commit: CommitID
  /// The reason why it could not be read or added.
  public let error: VarveError

  package init(commit: CommitID, error: VarveError) {
    self.commit = commit
    self.error = error
  }
}

/// A commit that did not arrive, and the number of commits that wait for it.
public struct Waiting: Sendable, Hashable {
  /// The missing commit.
  public let needed: CommitID
  /// The number of commits that arrived and were omitted because of it; they are sent again with
  /// the next synchronisation.
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

/// The outcome of a synchronisation on one of the two sides.
public struct SyncReport: Sendable, Hashable {
  /// The number of received commits that were new here.
  public package(set) var receivedCount = 0
  /// The number of these commits that are withheld until the local clock reaches them (R11).
  public package(set) var withheldCount = 0
  /// The number of commits that are now complete. An earlier synchronisation had brought only their
  /// outlines.
  public package(set) var completedCount = 0
  /// The number of commits that are partially replicated. The missing parts are awaited from a
  /// store that has them.
  public package(set) var partialCount = 0
  /// The entities that died because of received commits; later commits may have revived some.
  public package(set) var died: [EntityID] = []
  /// The replica id under which this store continues, if another copy had written under the old one
  /// (R12), or if the old one was retired.
  public package(set) var replacedReplica: ReplicaID?
  /// Whether the old replica id was retired.
  public package(set) var wasRetired = false
  /// The number of commits sent.
  public package(set) var sentCount = 0
  /// The number of these commits that the other store withholds until its clock reaches them; 0 if
  /// it is not in this process.
  public package(set) var withheldThereCount = 0
  /// The entities that died there because of sent commits; none if the other store is not in this
  /// process.
  public package(set) var diedThere: [EntityID] = []
  /// The replica id under which the other store continues, as ``replacedReplica`` here; nil if it is
  /// not in this process.
  public package(set) var replacedReplicaThere: ReplicaID?
  /// Whether the old replica id of the other store was retired.
  public package(set) var wasRetiredThere = false
  /// The number of commits not sent because they are incomplete here, or because the other side
  /// cannot get a commit they depend on.
  public package(set) var heldBackCount = 0
  /// The number of bytes of commits sent.
  public package(set) var sentByteCount = 0
  /// The commits that could not be read or added here.
  public package(set) var parked: [Parked] = []
  /// The commits that the other side could not read or add.
  public package(set) var parkedThere: [Parked] = []
  /// The missing commits that received ones wait for.
  public package(set) var waiting: [Waiting] = []
  /// The incomplete files of a folder: copies in progress, or damaged ones, which the next store
  /// that has their commits writes again.
  public package(set) var incompleteFiles: [String] = []

  package init() {}

  /// Whether both sides now have everything the other had.
  public var isComplete: Bool {
    heldBackCount == 0 && parked.isEmpty && parkedThere.isEmpty && waiting.isEmpty
      && incompleteFiles.isEmpty && partialCount == 0
  }
}

extension SyncReport {
  /// Adds the counts of an addition to the log.
  mutating func add(_ addition: AppendReport) {
    receivedCount += addition.addedCount
    withheldCount += addition.withheldCount
    completedCount += addition.completedCount
    died += addition.died
    replacedReplica = addition.replacedReplica ?? replacedReplica
    wasRetired = wasRetired || addition.wasRetired
  }

  /// Counts a commit that waits for another.
  mutating func note(waitingFor needed: CommitID) {
    if let place = waiting.firstIndex(where: { $0.needed == needed }) {
      waiting[place] = Waiting(needed: needed, commitCount: waiting[place].commitCount + 1)
    } else {
      waiting.append(Waiting(needed: needed, commitCount: 1))
    }
  }
}

/// The progress of a synchronisation.
public struct SyncProgress: Sendable, Hashable {
  /// The number of commits received and kept.
  public package(set) var receivedCount = 0
  /// The number of commits to receive, as far as it is known.
  public package(set) var toReceiveCount = 0
  /// The number of commits sent.
  public package(set) var sentCount = 0
  /// The number of commits to send, as far as it is known.
  public package(set) var toSendCount = 0
  /// The number of outlines completed, after the present has arrived.
  public package(set) var completedCount = 0

  package init() {}
}
