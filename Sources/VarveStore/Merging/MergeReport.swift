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
  init(_ report: SyncReport) {
    commitCount = report.receivedCount
    withheldCount = report.withheldCount
    completedCount = report.completedCount
    replacedReplica = report.replacedReplica
  }
}
