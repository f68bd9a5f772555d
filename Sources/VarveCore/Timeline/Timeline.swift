/// How many commits were written in each interval of a span of time: what a time bar draws.
///
/// A commit counts once, at the time at which it was written, whatever times its values hold from.
public struct Timeline: Hashable, Codable, Sendable {
  /// The commits that are counted.
  public enum Subject: Hashable, Sendable {
    /// All commits.
    case store
    /// The commits that wrote properties, elements or lives of entities that have a type now, or
    /// had it when they died.
    case type(EntityType)
    /// The commits that wrote properties, elements or the life of an entity: those in its history.
    case entity(EntityID)
  }

  /// What commits are counted by.
  public enum Grouping: String, CaseIterable, Hashable, Sendable {
    /// The author that a commit names.
    case author
    /// The replica that wrote it.
    case replica
  }

  /// A part of the span.
  public struct Interval: Hashable, Codable, Sendable {
    /// The first time of the interval.
    public let start: HybridTime
    /// The last time of the interval.
    public let end: HybridTime
    /// The number of commits written in it.
    public let count: Int

    package init(start: HybridTime, end: HybridTime, count: Int) {
      self.start = start
      self.end = end
      self.count = count
    }
  }

  /// The part of the counts that belongs to one author or replica.
  public struct Series: Hashable, Codable, Sendable {
    /// The author, or the text of the replica id; nil for commits without an author.
    public let name: String?
    /// The number of commits in each interval.
    public let counts: [Int]

    package init(name: String?, counts: [Int]) {
      self.name = name
      self.counts = counts
    }

    /// The number of commits in all intervals.
    public var total: Int { counts.reduce(0, +) }
  }

  /// The intervals, in order of time; none if nothing was written and no span was given.
  public let intervals: [Interval]
  /// The counts by author or replica, the greatest total first; none if that was not requested.
  public let series: [Series]

  package init(intervals: [Interval], series: [Series]) {
    self.intervals = intervals
    self.series = series
  }

  /// The number of commits in all intervals.
  public var total: Int { intervals.reduce(0) { $0 + $1.count } }
}

/// The commits before and after a time.
public struct NeighboringCommits: Hashable, Codable, Sendable {
  /// The newest commit written before the time; nil if there is none.
  public let previous: CommitSummary?
  /// The first commit written after the time; nil if there is none.
  public let next: CommitSummary?

  package init(previous: CommitSummary?, next: CommitSummary?) {
    self.previous = previous
    self.next = next
  }
}
