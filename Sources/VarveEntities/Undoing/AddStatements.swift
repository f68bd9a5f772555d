import VarveCore

/// The times for which commits wrote about one edge, or about the elements of one property.
///
/// A commit that writes for an earlier date also writes for the next date at which something is
/// stored, where its change ends. Such a cell *follows* the statements of that date, and does
/// not hold without them.
struct AddStatements {
  private var commits: [HybridTime: Set<CommitSummary>] = [:]
  /// The first date for which each commit wrote.
  private var first: [CommitID: HybridTime] = [:]

  mutating func insert(_ commit: CommitSummary, at time: HybridTime) {
    commits[time, default: []].insert(commit)
    first[commit.id] = min(first[commit.id] ?? time, time)
  }

  mutating func insert(_ add: RecordedAdd) {
    insert(add.commit, at: add.time)
    for removal in add.removals { insert(removal.commit, at: removal.time) }
  }

  /// The commits.
  var all: Set<CommitSummary> { commits.values.reduce(into: []) { $0.formUnion($1) } }

  /// Returns the times for which a commit wrote, without those at which its cells follow the
  /// statements of others.
  func times(of id: CommitID) -> Set<HybridTime> {
    let own = commits.filter { time, commits in
      guard let commit = commits.first(where: { $0.id == id }) else { return false }
      let hasOthers = commits.contains { $0.id != id && $0.time < commit.time }
      return time == first[id] || !hasOthers
    }
    return Set(own.keys)
  }

  /// Returns whether a cell follows statements of earlier commits, all of which are left out.
  func followsNothing(
    _ commit: CommitSummary,
    at time: HybridTime,
    leavingOut isLeftOut: (CommitSummary, HybridTime) -> Bool
  ) -> Bool {
    guard let begin = first[commit.id], begin < time else { return false }
    let others = (commits[time] ?? []).filter { $0.id != commit.id && $0.time < commit.time }
    return !others.isEmpty && others.allSatisfy { isLeftOut($0, time) }
  }

  /// Returns whether a commit wrote for a time for which another had written.
  func follows(_ commit: CommitSummary, at time: HybridTime, _ other: CommitID) -> Bool {
    guard let begin = first[commit.id], begin < time else { return false }
    return (commits[time] ?? []).contains { $0.id == other && $0.time < commit.time }
  }
}
