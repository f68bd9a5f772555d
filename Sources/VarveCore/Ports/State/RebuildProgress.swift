/// The progress of a rebuild.
public struct RebuildProgress: Sendable, Hashable {
  /// The number of commits derived from so far.
  public let commitCount: Int
  /// The total number of commits.
  public let totalCount: Int

  package init(commitCount: Int, totalCount: Int) {
    self.commitCount = commitCount
    self.totalCount = totalCount
  }
}
