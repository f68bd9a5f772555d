import VarveCore

extension LogTables {
  /// Counts the content of the log.
  ///
  /// - Complexity: O(cells in the log).
  func tally(
    _ filter: HistoryFilter,
    _ progress: (TallyProgress) -> Void
  ) throws -> LogTally {
    var tally = LogTally()
    let numbers = try commitNumbers()
    for (index, n) in numbers.enumerated() {
      try Task.checkCancellation()
      let info = try commit(ofBlock: n)
      if try filter.includes(info) {
        if try awaitsOutline(n) != nil { tally.partialCount += 1 }
        if info.summary.time <= filter.cutoff { tally.add(info.summary) }
        try tally.add(cellsOf: try shownCommit(number: n), notAfter: filter.cutoff)
      }
      progress(TallyProgress(commitCount: index + 1, totalCount: numbers.count))
    }
    return tally
  }

  /// Returns the numbers of all commits, in order of arrival.
  func commitNumbers() throws -> [Int64] {
    let statement = try connection.ownStatement("SELECT n FROM varve_commit ORDER BY n")
    var numbers: [Int64] = []
    while try statement.step() { numbers.append(statement.int(0)) }
    return numbers
  }
}
