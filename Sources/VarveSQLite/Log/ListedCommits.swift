import VarveCore

/// A stored commit, without the rest of its header.
struct ListedCommit {
  var n: Int64
  var chainID: Int64
  var sequence: Int64
  var time: HybridTime
  /// The author, if it was requested and the commit names one.
  var author: String?
}

/// Lists commits without decoding their headers.
extension LogTables {
  private static let columns = "n, lineage, sequence, time"

  /// Calls the body with the commits of a range of numbers, in order of number.
  ///
  /// - Complexity: O(commits in the range).
  func forEachCommit(
    from first: Int64,
    through last: Int64,
    withAuthors: Bool,
    _ body: (ListedCommit) throws -> Void
  ) throws {
    let statement = try connection.freeStatement(
      """
      SELECT \(Self.columns)\(withAuthors ? ", header" : "") FROM varve_commit
      WHERE n BETWEEN ? AND ? ORDER BY n
      """
    )
    statement.bind(1, first)
    statement.bind(2, last)
    defer { statement.reset() }
    while try statement.step() {
      try Task.checkCancellation()
      try body(listed(statement, withAuthors: withAuthors))
    }
  }

  /// Calls the body with the commits that hold some blocks, in order of number.
  ///
  /// - Parameter blocks: the blocks in ascending order.
  /// - Complexity: O(blocks × log commits), or O(commits between them) if they are dense.
  func forEachCommit(
    holding blocks: [Int64],
    withAuthors: Bool,
    _ body: (ListedCommit) throws -> Void
  ) throws {
    guard let first = blocks.first, let last = blocks.last else { return }
    guard Int64(blocks.count) > (last - first) / 8 else {
      return try seekCommits(holding: blocks, withAuthors: withAuthors, body)
    }
    var next = 0
    var former: ListedCommit?
    /// Passes the former commit to the body if a block lies before the end of it.
    func pass(before end: Int64) throws {
      let start = next
      while next < blocks.count, blocks[next] < end { next += 1 }
      if next > start, let former { try body(former) }
    }
    try forEachCommit(
      from: mark(notAfter: first)?.n ?? first,
      through: last,
      withAuthors: withAuthors
    ) { commit in
      try pass(before: commit.n)
      former = commit
    }
    try pass(before: .max)
  }

  private func seekCommits(
    holding blocks: [Int64],
    withAuthors: Bool,
    _ body: (ListedCommit) throws -> Void
  ) throws {
    let statement = try connection.freeStatement(
      """
      SELECT \(Self.columns)\(withAuthors ? ", header" : "") FROM varve_commit
      WHERE n <= ? ORDER BY n DESC LIMIT 1
      """
    )
    defer { statement.reset() }
    var last: Int64?
    for block in blocks {
      statement.reset()
      statement.bind(1, block)
      guard try statement.step() else {
        throw connection.damaged("block \(block) belongs to no commit")
      }
      guard statement.int(0) != last else { continue }
      last = statement.int(0)
      try body(listed(statement, withAuthors: withAuthors))
    }
  }

  private func listed(_ statement: Statement, withAuthors: Bool) throws -> ListedCommit {
    ListedCommit(
      n: statement.int(0),
      chainID: statement.int(1),
      sequence: statement.int(2),
      time: HybridTime(rawValue: statement.int(3)),
      author: withAuthors ? try CommitHeader.author(ofEncoded: statement.blob(4)) : nil
    )
  }
}
