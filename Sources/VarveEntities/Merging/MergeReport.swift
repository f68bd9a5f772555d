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
  /// The number of these commits that are withheld until the local clock reaches them (R11).
  public internal(set) var withheldCount = 0
  /// The number of partially replicated commits that became complete.
  public internal(set) var completedCount = 0
  /// The number of commits that the store has in part only, from this merge or from before. The missing
  /// parts are awaited from a store that has them.
  public internal(set) var partialCount = 0
  /// The number of commits that were not sent, because the other store has them only partially, or
  /// because they depend on such commits.
  public internal(set) var heldBackCount = 0
  /// The entities that died in the merge.
  public internal(set) var died: [EntityID] = []
  /// The new id of this replica, if another copy had written under its id (R12) or the id was
  /// retired.
  public internal(set) var replacedReplica: ReplicaID?
  /// Whether the old id was retired.
  public internal(set) var wasRetired = false
}

extension MergeReport {
  init(_ report: AppendReport) {
    commitCount = report.addedCount
    withheldCount = report.withheldCount
    completedCount = report.completedCount
    died = report.died
    replacedReplica = report.replacedReplica
    wasRetired = report.wasRetired
  }

  init(_ report: SyncReport) {
    commitCount = report.receivedCount
    withheldCount = report.withheldCount
    completedCount = report.completedCount
    replacedReplica = report.replacedReplica
    wasRetired = report.wasRetired
  }
}
