import VarveCore

/// The commits that a moment leaves out.
extension LogTables {
  /// Returns whether any cell is later than a time.
  ///
  /// - Complexity: O(cells of commits written since), up to the first that is later.
  func holdsCells(after time: HybridTime) throws -> Bool {
    for n in try excludedCommits(MomentFilter(cutoff: time)) {
      let info = try commit(ofBlock: n)
      var isLater = false
      try commit(number: n).forEachContent { content, _ in
        guard !isLater else { return }
        isLater = content.sections.contains { section in
          if case .creations(let table) = section {
            return table.time ?? info.summary.time > time
          }
          return section.cells.contains { $0.time ?? info.summary.time > time }
        }
      }
      if isLater { return true }
    }
    return false
  }

  /// Returns the numbers of commits with cells that do not count.
  func excludedCommits(_ filter: MomentFilter) throws -> [Int64] {
    var numbers: Set<Int64> = []
    let runs = try connection.ownStatement(
      "SELECT lineage, first_n, first_sequence FROM varve_run ORDER BY first_n"
    )
    while try runs.step() {
      let (lineage, first) = (runs.int(0), runs.int(1))
      guard let last = try lastCommitNumber(ofRunAt: first) else { continue }
      let start = try firstExcluded(filter, lineage: lineage, from: first, through: last)
      guard let start else { continue }
      let commits = try connection.ownStatement(
        "SELECT n FROM varve_commit WHERE n BETWEEN ? AND ?"
      )
      commits.bind(1, start)
      commits.bind(2, last)
      while try commits.step() { numbers.insert(commits.int(0)) }
    }
    if filter.bounds == nil {
      let late = try connection.ownStatement("SELECT n FROM varve_postdated WHERE latest > ?")
      late.bind(1, filter.history.cutoff.rawValue)
      while try late.step() { numbers.insert(late.int(0)) }
    }
    return try numbers.filter { try !isWithheld($0) }.sorted()
  }

  /// Returns the first commit of a run that does not count. Times and sequence numbers ascend in a
  /// run.
  private func firstExcluded(
    _ filter: MomentFilter,
    lineage: Int64,
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
        filter.bounds.map { statement.int(1) > $0[lineage] ?? 0 }
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
