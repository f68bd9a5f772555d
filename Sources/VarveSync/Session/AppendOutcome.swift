package import VarveCore

/// The outcome for commits that arrived.
package struct AppendOutcome: Sendable {
  /// A commit that is in the log now.
  package struct Kept: Sendable, Hashable {
    package var id: CommitID
    package var predecessor: CommitID?

    package init(_ commit: Commit) {
      id = commit.id
      predecessor = commit.predecessor
    }
  }

  /// The commits that are now in the log and on the disk, new or not.
  package var kept: [Kept] = []
  /// The commits that cannot be added.
  package var parked: [Parked] = []
  /// The commits that depend on a missing one.
  package var waiting: [(commit: Commit, needed: CommitID)] = []
  /// The missing dependencies of commits that were too large to keep.
  package var leftOut: [CommitID] = []
  /// The log's report of the addition.
  package var report = AppendReport()

  package init() {}

  /// Adds the outcome of another addition. Commits that wait are not kept.
  package mutating func add(_ other: AppendOutcome) {
    kept += other.kept
    parked += other.parked
    leftOut += other.waiting.map(\.needed) + other.leftOut
    report.add(other.report)
  }
}
