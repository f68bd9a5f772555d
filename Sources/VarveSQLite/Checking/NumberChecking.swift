import VarveCore

/// The numbers by which commits, blocks and rows go, and what the file says of itself.
extension Checker {
  /// Blocks without gaps, none that belongs to no commit, and free numbers that are free.
  ///
  /// - Parameter numbers: those of all commits, in order.
  func checkNumbers(_ numbers: [Int64]) throws {
    var expected: Int64 = 1
    for n in numbers {
      if n != expected { find("commit number \(n) stands where \(expected) is due") }
      guard let header = try header(ofCommit: n) else { return }
      expected = n + Int64(max(header.blockCount, 1))
    }
    try count(
      "blocks belong to no commit, or to one that has them itself",
      """
      SELECT count(*) FROM varve_block WHERE b < 1 OR b >= \(expected)
      OR b IN (SELECT n FROM varve_commit WHERE payload IS NOT NULL)
      """
    )
    try count(
      "withheld or awaited commits are not there",
      "SELECT count(*) FROM varve_withheld WHERE n NOT IN (SELECT n FROM varve_commit)"
    )
    try count(
      "entities share their number with another",
      "SELECT count(row) - count(DISTINCT row) FROM varve_identity"
    )
    try count(
      "entities have a number that is still to be given",
      "SELECT count(*) FROM varve_identity WHERE row < 1 OR row >= \(session.log.nextRow)"
    )
  }

  /// Nil where it cannot be read, which is found where the commit is checked.
  private func header(ofCommit n: Int64) throws -> CommitHeader? {
    do {
      return try session.log.commit(number: n, withBlocks: false).header
    } catch is VarveError {
      return nil
    }
  }

  /// Finds rows that a query counts.
  private func count(_ what: String, _ sql: String) throws {
    let count = try session.connection.integer(sql) ?? 0
    if count != 0 { find("\(count) \(what)") }
  }

  /// What `varve_meta` says of withheld and awaited commits, and of the chain this file writes on.
  func checkMeta() throws {
    let withheld = try session.connection.ownStatement("SELECT n, time FROM varve_withheld")
    while try withheld.step() {
      guard let header = try header(ofCommit: withheld.int(0)) else { continue }
      if header.time.rawValue != withheld.int(1) {
        find("commit number \(withheld.int(0)) is withheld for another time than its own")
      }
    }
    guard try session.log.hasAwaited else {
      if session.catalogue.awaits != .nothing {
        find("something is awaited, and nothing says what")
      }
      return
    }
    try count(
      "commits are awaited and are not there",
      "SELECT count(*) FROM varve_awaited WHERE n NOT IN (SELECT n FROM varve_commit)"
    )
    let hasHorizon = try session.connection.integer("SELECT 1 FROM varve_outline") != nil
    if hasHorizon != (session.catalogue.awaits != .nothing) {
      find("what is awaited is not what the outlines say")
    }
    let awaited = try session.connection.ownStatement("SELECT n FROM varve_awaited")
    while try awaited.step() {
      guard let header = try header(ofCommit: awaited.int(0)) else { continue }
      let blocks = awaited.int(0)..<awaited.int(0) + Int64(header.blockCount)
      if try !blocks.contains(where: { try session.log.storedBlock($0).isRedacted }) {
        find("commit number \(awaited.int(0)) is awaited and whole")
      }
    }
  }

  /// Touches stand under numbers that entities have: another that gets the number would inherit them.
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
