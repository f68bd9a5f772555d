import VarveCore

/// What commits had seen of each other (R13).
extension LogTables {
  /// Returns the greatest sequence number of a chain that a commit had seen.
  ///
  /// - Complexity: one seek, and one more for each fork behind the commit.
  func seenSequence(of other: Int64, by chainID: Int64, _ sequence: Int64) throws -> Int64 {
    if other == chainID { return sequence }
    let statement = try connection.statement(
      """
      SELECT other_sequence FROM varve_seen WHERE author = ? AND other = ? AND author_sequence <= ?
      ORDER BY author_sequence DESC LIMIT 1
      """
    )
    statement.bind(1, chainID)
    statement.bind(2, other)
    statement.bind(3, sequence)
    let seen = try statement.step() ? statement.int(0) : 0
    statement.reset()
    guard let chain = try current.chains[chainID], let parent = chain.parent else { return seen }
    let before = min(sequence, chain.forkSequence)
    return max(seen, try seenSequence(of: other, by: parent, before))
  }

  /// Returns whether a commit had seen another.
  func hasSeen(_ later: CommitInfo, _ earlier: CommitInfo) throws -> Bool {
    let seen = try seenSequence(
      of: earlier.chainID,
      by: later.chainID,
      later.summary.id.sequence
    )
    return earlier.summary.id.sequence <= seen
  }

  /// Returns everything that a commit's author had seen, including the commit.
  func frontier(of id: CommitID) throws -> Frontier {
    let chainID = try requireChain(holding: id)
    var heads = [id]
    for other in try current.chains.keys where other != chainID {
      let sequence = try seenSequence(of: other, by: chainID, id.sequence)
      guard sequence > 0, let n = try commitNumber(chainID: other, sequence: sequence) else {
        continue
      }
      heads.append(try commit(ofBlock: n).summary.id)
    }
    return Frontier(heads)
  }

  /// Returns the chain of a commit.
  ///
  /// - Throws: ``VarveError`` with code `notFound`.
  func requireChain(holding id: CommitID) throws -> Int64 {
    guard let chainID = try chainHolding(id) else {
      throw VarveError(
        .notFound,
        "there is no commit \(id)",
        at: "commit \(id)",
        remedy: "The log lists the commits there are."
      )
    }
    return chainID
  }

  /// Returns the chains of which a commit had not seen everything that is applied here.
  func unseenChains(by info: CommitInfo) throws -> [Int64: Int64] {
    var unseen: [Int64: Int64] = [:]
    for (id, chain) in try current.chains where id != info.chainID {
      guard chain.appliedSequence > chain.forkSequence else { continue }
      let seen = try seenSequence(of: id, by: info.chainID, info.summary.id.sequence)
      if seen < chain.appliedSequence { unseen[id] = seen }
    }
    return unseen
  }
}
