import VarveCore

/// The commits that do not count at a moment.
extension LogTables {
  /// Returns whether any cell is later than a time.
  ///
  /// - Complexity: O(cells of commits written since), up to the first that is later.
  func holdsCells(after time: HybridTime) throws -> Bool {
    // Usually the last commit has such a cell, so it is examined first.
    if let last = try lastCommit, try !isWithheld(last), try holdsCells(last, after: time) {
      return true
    }
    for n in try commits(leftOutBy: MomentFilter(cutoff: time))
    where try holdsCells(n, after: time) {
      return true
    }
    return false
  }

  private func holdsCells(_ n: Int64, after time: HybridTime) throws -> Bool {
    let info = try commit(ofBlock: n)
    var isLater = false
    try shownCommit(number: n).forEachContent { content, _ in
      guard !isLater else { return }
      isLater = content.sections.contains { section in
        if case .creations(let table) = section {
          return table.time ?? info.summary.time > time
        }
        return section.cells.contains { $0.time ?? info.summary.time > time }
      }
    }
    return isLater
  }

  /// Returns the numbers of the commits with cells that do not count at a moment.
  ///
  /// - Parameters:
  ///   - other: a moment of the same kind; the commits that it leaves out are not returned.
  ///   - livesOnly: whether only those are needed that may change lives and ownerships.
  /// - Complexity: O(runs × log commits + result).
  func commits(
    leftOutBy filter: MomentFilter,
    not other: MomentFilter? = nil,
    livesOnly: Bool = false
  ) throws -> [Int64] {
    if filter.bounds == nil, let other, other.history.cutoff <= filter.history.cutoff { return [] }
    let table = try livesOnly && hasLifeCommits ? "varve_turn" : "varve_commit"
    var numbers: Set<Int64> = []
    let runs = try connection.ownStatement("SELECT lineage, first_n FROM varve_run")
    let commits = try connection.ownStatement("SELECT n FROM \(table) WHERE n BETWEEN ? AND ?")
    while try runs.step() {
      let (chainID, first) = (runs.int(0), runs.int(1))
      if let other, !filter.leavesOutMore(of: chainID, than: other) { continue }
      guard let last = try lastCommitNumber(ofRunAt: first),
        let start = try firstExcluded(filter, chainID: chainID, from: first, through: last)
      else { continue }
      let end = try other.flatMap {
        try firstExcluded($0, chainID: chainID, from: first, through: last)
      }
      commits.bind(1, start)
      commits.bind(2, end.map { $0 - 1 } ?? last)
      while try commits.step() { numbers.insert(commits.int(0)) }
      commits.reset()
    }
    if filter.bounds == nil {
      let late = try connection.ownStatement(
        """
        SELECT p.n FROM varve_postdated AS p JOIN \(table) AS t ON t.n = p.n
        WHERE p.latest > ? AND p.latest <= ?
        """
      )
      late.bind(1, filter.history.cutoff.rawValue)
      late.bind(2, other?.history.cutoff.rawValue ?? .max)
      while try late.step() { numbers.insert(late.int(0)) }
    }
    return try applied(numbers)
  }

  private func applied(_ numbers: Set<Int64>) throws -> [Int64] {
    guard try withheldCount > 0 else { return numbers.sorted() }
    return try numbers.filter { try !isWithheld($0) }.sorted()
  }

  /// Returns the first commit of a run that does not count. Times and sequence numbers ascend in a
  /// run.
  private func firstExcluded(
    _ filter: MomentFilter,
    chainID: Int64,
    from first: Int64,
    through last: Int64
  ) throws -> Int64? {
    let statement = try connection.statement(
      "SELECT n, sequence, time FROM varve_commit WHERE n <= ? ORDER BY n DESC LIMIT 1"
    )
    defer { statement.reset() }
    var (low, high) = (first, last)
    var found: Int64?
    while low <= high {
      statement.reset()
      let middle = low + (high - low) / 2
      statement.bind(1, middle)
      guard try statement.step() else { break }
      let n = statement.int(0)
      let isExcluded =
        filter.bounds.map { statement.int(1) > $0[chainID] ?? 0 }
        ?? (statement.int(2) > filter.history.cutoff.rawValue)
      if isExcluded {
        found = n
        high = n - 1
      } else {
        low = middle + 1
      }
    }
    return found
  }
}

extension MomentFilter {
  /// Returns whether this moment may leave out commits of a chain that another does not.
  fileprivate func leavesOutMore(of chainID: Int64, than other: MomentFilter) -> Bool {
    guard let bounds, let others = other.bounds else { return true }
    return bounds[chainID] ?? 0 < others[chainID] ?? 0
  }
}
