/// What a timeline counts.
package struct TimelineRequest: Hashable, Sendable {
  package let subject: Timeline.Subject
  /// The first time of the span; nil for that of the first commit.
  package let start: HybridTime?
  /// The last time of the span; nil for that of the last commit.
  package let end: HybridTime?
  /// The maximum number of intervals.
  package let intervalCount: Int
  package let grouping: Timeline.Grouping?

  package init(
    of subject: Timeline.Subject,
    from start: HybridTime? = nil,
    through end: HybridTime? = nil,
    intervalCount: Int,
    by grouping: Timeline.Grouping? = nil
  ) {
    self.subject = subject
    self.start = start
    self.end = end
    self.intervalCount = intervalCount
    self.grouping = grouping
  }

  /// Returns the intervals of the span; nil if the span is empty.
  ///
  /// - Parameters:
  ///   - first: the time of the first commit that counts; nil if there is none.
  ///   - last: the time of the last one.
  package func intervals(first: HybridTime?, last: HybridTime?) -> TimeIntervals? {
    guard let start = start ?? first, let end = end ?? last, start <= end else { return nil }
    return TimeIntervals(from: start, through: end, count: intervalCount)
  }
}

/// Counts the commits of a timeline.
package struct TimelineTally {
  package let intervals: TimeIntervals
  private var counts: [Int]
  private var series: [String?: [Int]] = [:]
  private let isGrouped: Bool
  /// Every author or replica has a count for each interval.
  private var size = ResultSize()

  /// Begins with no commits.
  ///
  /// - Throws: `invalidQuery` beyond the size that a result may have.
  package init(_ intervals: TimeIntervals, _ request: TimelineRequest) throws {
    self.intervals = intervals
    counts = Array(repeating: 0, count: intervals.count)
    isGrouped = request.grouping != nil
    try size.add(intervals.count * Self.intervalByteCount)
  }

  /// The bytes of an interval in a result: two dates and a number.
  private static let intervalByteCount = 64

  /// Adds commits that were written in an interval.
  ///
  /// - Parameter name: the author or the replica; ignored if the timeline is not grouped.
  /// - Throws: `invalidQuery` beyond the size that a result may have; `CancellationError`.
  package mutating func add(
    _ count: Int = 1,
    at index: Int,
    for name: @autoclosure () -> String?
  ) throws {
    try Task.checkCancellation()
    counts[index] += count
    guard isGrouped else { return }
    let name = name()
    if series[name] == nil {
      try size.add(counts.count * MemoryLayout<Int>.size)
      series[name] = Array(repeating: 0, count: counts.count)
    }
    series[name]?[index] += count
  }

  /// Adds a commit if it was written in the span.
  ///
  /// - Throws: as ``add(_:at:for:)``.
  package mutating func add(_ time: HybridTime, for name: @autoclosure () -> String?) throws {
    guard time >= intervals.start, time <= intervals.end else { return }
    try add(at: intervals.index(of: time), for: name())
  }

  package var timeline: Timeline {
    Timeline(
      intervals: counts.indices.map {
        .init(start: intervals.start(of: $0), end: intervals.end(of: $0), count: counts[$0])
      },
      series: series.map { Timeline.Series(name: $0, counts: $1) }
        .map { (series: $0, total: $0.total) }
        .sorted { ($1.total, $0.series.name ?? "") < ($0.total, $1.series.name ?? "") }
        .map(\.series)
    )
  }
}
