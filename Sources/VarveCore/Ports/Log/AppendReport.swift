/// The outcome of adding commits.
public struct AppendReport: Sendable, Hashable {
  /// The number of new commits.
  public var addedCount = 0
  /// The number of those that are withheld until the local clock reaches them (R11).
  public var withheldCount = 0
  /// The entities that died.
  public var died: [EntityID] = []
  /// The replica id under which the store continues, if another copy had written under the old one
  /// (R12), or if the old one was retired.
  public var replacedReplica: ReplicaID?
  /// Whether the old replica id was retired.
  public var wasRetired = false
  /// The number of commits that were outlines before and are complete now.
  public var completedCount = 0

  package init() {}
}

extension AppendReport {
  /// Adds the counts of another addition.
  package mutating func add(_ other: AppendReport) {
    addedCount += other.addedCount
    withheldCount += other.withheldCount
    completedCount += other.completedCount
    died += other.died
    replacedReplica = other.replacedReplica ?? replacedReplica
    wasRetired = wasRetired || other.wasRetired
  }
}
