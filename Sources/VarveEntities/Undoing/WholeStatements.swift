import VarveCore

/// The dates for which other commits stated all elements of a to-many property (R4). From such a
/// date on, an undo of a statement for an earlier one changes nothing.
struct WholeStatements {
  /// The dates.
  private(set) var times: Set<HybridTime> = []
  /// For each time for which the undone commit wrote, the first such date from there on.
  private let ends: [(begin: HybridTime, end: HybridTime?)]

  /// None: what is no property is not stated as a whole.
  init() { ends = [] }

  /// - Parameters:
  ///   - statements: the markers by commits that last, besides the undone one. Those without a date
  ///     are of no concern.
  ///   - times: the times for which the undone commit wrote about the property.
  ///   - own: the time of the undone commit. What it wrote without a date replaces what had been
  ///     stated for the future (R4), so only later commits end it.
  ///   - isLater: returns whether a commit is later than the undone one.
  init(
    _ statements: [Version],
    after times: Set<HybridTime>,
    of own: HybridTime,
    isLater: (CommitSummary) -> Bool
  ) {
    let dated = statements.filter { $0.time != $0.commit.time }
    ends = times.map { time in
      let following = dated.filter { statement in
        let isNext = statement.time > time && time != own
        return isNext || statement.time >= time && isLater(statement.commit)
      }
      return (time, following.map(\.time).min())
    }
    self.times = Set(ends.compactMap(\.end))
  }

  /// Returns whether everything that the undone commit wrote has ended at a time.
  func settle(_ time: HybridTime) -> Bool {
    let begun = ends.filter { $0.begin <= time }
    return !begun.isEmpty && begun.allSatisfy { $0.end.map { $0 <= time } ?? false }
  }
}
