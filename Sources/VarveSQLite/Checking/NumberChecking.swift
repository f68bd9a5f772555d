import VarveCore

/// Checks the numbers of commits, blocks and rows, and the file's metadata.
extension Checker {
  /// Checks that the blocks have no gaps, that each belongs to a commit, and that free numbers are
  /// unused.
  ///
  /// - Parameter numbers: the numbers of all commits, in order.
  func checkNumbers(_ numbers: [Int64]) throws {
    var expected: Int64 = 1
    for n in numbers {
      if n != expected { find("commit number \(n) is in the place of \(expected)") }
      guard let header = try header(ofCommit: n) else { return }
      expected = n + Int64(max(header.blockCount, 1))
    }
    try count(
      "blocks belong to no commit, or to one with an inline payload",
      """
      SELECT count(*) FROM varve_block WHERE b < 1 OR b >= \(expected)
      OR b IN (SELECT n FROM varve_commit WHERE payload IS NOT NULL)
      """
    )
    try count(
      "withheld or awaited commits are missing",
      "SELECT count(*) FROM varve_withheld WHERE n NOT IN (SELECT n FROM varve_commit)"
    )
    if try session.connection.hasTable("varve_arrival") {
      try count(
        "commits have no place in the order of arrivals, or the place of another",
        """
        SELECT count(*) FROM varve_arrival WHERE n NOT IN (SELECT place FROM varve_arrival)
        OR place NOT IN (SELECT n FROM varve_arrival) OR n NOT IN (SELECT n FROM varve_commit)
        """
      )
    }
    if try session.connection.hasTable("varve_handover") {
      try count(
        "commits that were handed over are missing",
        "SELECT count(*) FROM varve_handover WHERE n NOT IN (SELECT n FROM varve_commit)"
      )
    }
    try count(
      "entities share their row number with another",
      "SELECT count(row) - count(DISTINCT row) FROM varve_identity"
    )
    try count(
      "entities have a row number that counts as unused",
      "SELECT count(*) FROM varve_identity WHERE row < 1 OR row >= \(session.log.nextRow)"
    )
  }

  /// Returns the header of a commit, or nil if it cannot be read, which the check of the commit
  /// reports.
  private func header(ofCommit n: Int64) throws -> CommitHeader? {
    do {
      return try session.log.commit(number: n, withBlocks: false).header
    } catch is VarveError {
      return nil
    }
  }

  /// Reports the rows that a query counts.
  private func count(_ what: String, _ sql: String) throws {
    let count = try session.connection.integer(sql) ?? 0
    if count != 0 { find("\(count) \(what)") }
  }

  /// Checks what `varve_meta` records about withheld and awaited commits and the chain this file
  /// writes.
  func checkMeta() throws {
    let withheld = try session.connection.ownStatement("SELECT n, time FROM varve_withheld")
    while try withheld.step() {
      guard let header = try header(ofCommit: withheld.int(0)) else { continue }
      // Only in a sealed space do commits wait for a verdict.
      let isUndecided =
        try withheld.int(1) == LogTables.undecidedTime.rawValue
        && session.log.sealedView != nil
      if header.time.rawValue != withheld.int(1), !isUndecided {
        find("commit number \(withheld.int(0)) is withheld until a time other than its own")
      }
    }
    guard try session.log.hasAwaited else {
      if session.catalogue.awaits != .nothing {
        find("commits are awaited, but none is listed")
      }
      return
    }
    try count(
      "awaited commits are missing",
      "SELECT count(*) FROM varve_awaited WHERE n NOT IN (SELECT n FROM varve_commit)"
    )
    let hasHorizon = try session.connection.integer("SELECT 1 FROM varve_outline") != nil
    if hasHorizon != (session.catalogue.awaits != .nothing) {
      find("the awaited commits do not match the outlines")
    }
    let awaited = try session.connection.ownStatement("SELECT n FROM varve_awaited")
    while try awaited.step() {
      guard let header = try header(ofCommit: awaited.int(0)) else { continue }
      let blocks = awaited.int(0)..<awaited.int(0) + Int64(header.blockCount)
      if try !blocks.contains(where: { try session.log.storedBlock($0).isRedacted }) {
        find("commit number \(awaited.int(0)) is awaited but complete")
      }
    }
  }

  /// Checks that every touch has the row number of an entity. An entity that got the number later
  /// would inherit the touch.
  func checkTouchedRows() throws {
    try count(
      "touches belong to no entity",
      "SELECT count(*) FROM varve_touch WHERE row NOT IN (SELECT row FROM varve_identity WHERE row > 0)"
    )
    let find = try session.connection.ownStatement("SELECT 1 FROM varve_identity WHERE row = ?")
    for row in try session.touches.recentRows() {
      find.bind(1, row)
      if try !find.step() { self.find("recent touches belong to no entity") }
      find.reset()
    }
  }
}
