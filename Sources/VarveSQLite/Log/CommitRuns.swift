import VarveCore

/// A stored commit: its number, its number in its chain, and its time.
struct CommitMark {
  var n: Int64
  var sequence: Int64
  var time: HybridTime
}

/// The commits of a run that count in a state. Their numbers, sequence numbers and times ascend,
/// and the sequence numbers have no gaps.
struct CommitRun {
  let chainID: Int64
  let first: CommitMark
  let last: CommitMark
}

extension LogTables {
  /// Returns the runs of the commits that count in a state, without withheld ones.
  ///
  /// - Parameter filter: the state; nil for the present.
  /// - Complexity: O(runs × log commits).
  func countedRuns(_ filter: MomentFilter?) throws -> [CommitRun] {
    var starts: [(chainID: Int64, n: Int64)] = []
    let statement = try connection.statement(
      "SELECT lineage, first_n FROM varve_run ORDER BY first_n"
    )
    defer { statement.reset() }
    while try statement.step() { starts.append((statement.int(0), statement.int(1))) }
    return try starts.indices.compactMap { index in
      let (chainID, n) = starts[index]
      let end = index + 1 < starts.count ? starts[index + 1].n - 1 : Int64.max
      guard let first = try mark(notAfter: n), let last = try mark(notAfter: end) else {
        throw connection.damaged("the run of commits at number \(n) is empty")
      }
      let run = CommitRun(chainID: chainID, first: first, last: last)
      return try clipped(run, filter)
    }
  }

  /// Returns the part of a run that counts, if there is one.
  private func clipped(_ run: CommitRun, _ filter: MomentFilter?) throws -> CommitRun? {
    var bound = try chains[run.chainID]?.appliedSequence ?? 0
    if let bounds = filter?.bounds { bound = min(bound, bounds[run.chainID] ?? 0) }
    let cutoff = filter?.history.cutoff ?? .distantFuture
    let counts = { (mark: CommitMark) in mark.sequence <= bound && mark.time <= cutoff }
    guard counts(run.first) else { return nil }
    guard !counts(run.last) else { return run }
    guard let next = try first(of: run, from: run.first, where: { !counts($0) }),
      let last = try mark(notAfter: next.n - 1)
    else { return run }
    return CommitRun(chainID: run.chainID, first: run.first, last: last)
  }

  /// Returns the first commit of a run that satisfies a condition, which all later ones satisfy
  /// too.
  ///
  /// - Parameter start: a commit of the run; earlier ones are not examined.
  /// - Complexity: O(log² commits).
  func first(
    of run: CommitRun,
    from start: CommitMark,
    where holds: (CommitMark) -> Bool
  ) throws -> CommitMark? {
    guard holds(run.last) else { return nil }
    var found = run.last
    var (low, high) = (start.n, run.last.n - 1)
    while low <= high {
      let middle = low + (high - low) / 2
      guard let mark = try mark(notAfter: middle) else { return nil }
      if holds(mark) {
        found = mark
        high = mark.n - 1
      } else {
        low = middle + 1
      }
    }
    return found
  }

  /// Returns the commit with the greatest number that is not above a number.
  func mark(notAfter n: Int64) throws -> CommitMark? {
    let statement = try connection.statement(
      "SELECT n, sequence, time FROM varve_commit WHERE n <= ? ORDER BY n DESC LIMIT 1"
    )
    statement.bind(1, n)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return CommitMark(
      n: statement.int(0),
      sequence: statement.int(1),
      time: HybridTime(rawValue: statement.int(2))
    )
  }
}
