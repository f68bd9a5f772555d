public import Foundation
public import VarveCore

extension Reading {
  /// Returns how many commits were written in each interval of a span of time.
  ///
  /// A commit counts once, at the time at which it was written, even if its values hold from
  /// another time. Withheld commits do not count until they take effect (R11). Purged and folded
  /// values count for no entity or type; their commits still count for the store. A past state
  /// counts the commits that ``log(limit:offset:)`` lists in it.
  ///
  /// ```swift
  /// let timeline = try await store.timeline(of: .type("Hat"), intervals: 12, by: .author)
  /// for interval in timeline.intervals { print(interval.start.date, interval.count) }
  /// ```
  ///
  /// - Parameters:
  ///   - subject: the commits that are counted.
  ///   - start: the beginning of the span; by default, the time of the first commit.
  ///   - end: the end of the span; by default, the time of the last commit.
  ///   - intervals: the maximum number of intervals, which have equal length; from 1 to 100,000.
  ///     There are fewer only if the span has fewer distinct times. A millisecond has 65,536, and a
  ///     date as bound stands for the whole millisecond. The times of the first and the last
  ///     commit, which are the default bounds, may directly follow each other within a millisecond;
  ///     a single commit gives one interval.
  ///   - grouping: what the commits are also counted by; nil for nothing.
  /// - Throws: ``VarveError``: `invalidArgument` for a span that ends before it begins, or a number
  ///   of intervals out of range; `timeOutOfRange`; `historyAwaited` for an entity or a type.
  /// - Complexity: for the store, O(intervals × log commits) however many commits there are, for
  ///   commits that arrived in order; O(commits in the span) by author. For an entity, O(its
  ///   history). For a type, O(entities + their history).
  public func timeline(
    of subject: Timeline.Subject = .store,
    from start: Date? = nil,
    to end: Date? = nil,
    intervals: Int = 100,
    by grouping: Timeline.Grouping? = nil
  ) async throws -> Timeline {
    guard 1...100_000 ~= intervals else {
      throw VarveError(
        .invalidArgument,
        "a timeline has \(intervals) intervals",
        at: "intervals",
        remedy: "Use 1 to 100,000."
      )
    }
    let request = TimelineRequest(
      of: subject,
      from: try start.map { try HybridTime(instant: $0) },
      through: try end.map { try HybridTime(instant: $0).lastOfDate },
      intervalCount: intervals,
      by: grouping
    )
    if let start = request.start, let end = request.end, start > end {
      throw VarveError(
        .invalidArgument,
        "a timeline ends before it begins",
        at: "interval",
        remedy: "Exchange the two dates."
      )
    }
    return try await reading { try await $0.reader.timeline(request) }
  }

  /// Returns the newest commit written before a date, and the first one written after it.
  ///
  /// - Parameters:
  ///   - date: the date. A whole millisecond stands for all times in it.
  ///   - subject: the commits that count, as in ``timeline(of:from:to:intervals:by:)``.
  /// - Throws: ``VarveError``: `timeOutOfRange`; `historyAwaited` for an entity or a type.
  /// - Complexity: O(log commits) for the store, for commits that arrived in order; otherwise as a
  ///   timeline.
  public func commits(
    around date: Date,
    of subject: Timeline.Subject = .store
  ) async throws -> NeighboringCommits {
    let time = try HybridTime(instant: date)
    return try await commits(around: time...time.lastOfDate, of: subject)
  }

  /// Returns the newest commit written before a time, and the first one written after it.
  ///
  /// So a reader that begins at a commit's time visits every state, one commit after another:
  ///
  /// ```swift
  /// let next = try await store.commits(around: commit.time).next
  /// let state = store.asOf(next.map { .time($0.time) } ?? .now)
  /// ```
  ///
  /// - Throws: ``VarveError`` with code `historyAwaited` for an entity or a type.
  /// - Complexity: O(log commits) for the store, for commits that arrived in order; otherwise as a
  ///   timeline.
  public func commits(
    around time: HybridTime,
    of subject: Timeline.Subject = .store
  ) async throws -> NeighboringCommits {
    try await commits(around: time...time, of: subject)
  }

  /// Returns the commit written before another one, and the one written after it.
  ///
  /// Commits of one time, which different copies may write, are in the order in which their values
  /// win (R4). So a reader that begins at any commit visits every one:
  ///
  /// ```swift
  /// var place = try await store.log(limit: 1).first
  /// while let commit = place { place = try await store.commits(around: commit.id).previous }
  /// ```
  ///
  /// - Parameters:
  ///   - id: the commit. It need not be one of the subject's.
  ///   - subject: the commits that count, as in ``timeline(of:from:to:intervals:by:)``.
  /// - Throws: ``VarveError``: `notFound`; `historyAwaited` for an entity or a type.
  /// - Complexity: O(log commits) for the store, for commits that arrived in order; otherwise as a
  ///   timeline.
  public func commits(
    around id: CommitID,
    of subject: Timeline.Subject = .store
  ) async throws -> NeighboringCommits {
    try await reading { try await $0.reader.commits(around: id, of: subject) }
  }

  private func commits(
    around span: ClosedRange<HybridTime>,
    of subject: Timeline.Subject
  ) async throws -> NeighboringCommits {
    try await reading { try await $0.reader.commits(around: span, of: subject) }
  }
}
