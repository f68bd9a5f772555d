import VarveCore

/// Reading the log chain by chain.
extension LogTables {
  /// Returns commits that a frontier does not cover, in order of stamp, up to a number of bytes.
  func commits(beyond frontier: Frontier, atMost byteCount: Int) throws -> [Commit] {
    var cursors = try cursors(beyond: frontier)
    var commits: [Commit] = []
    var size = 0
    while size < byteCount || commits.isEmpty {
      guard let n = try takeNext(&cursors) else { break }
      let commit = try shownCommit(number: n)
      commits.append(commit)
      size += commit.blocks.reduce(commit.headerBytes.count) { $0 + $1.stored.count }
    }
    return commits
  }

  /// Returns the first commit of each chain that a frontier does not cover.
  func cursors(beyond frontier: Frontier) throws -> [CommitInfo] {
    let bounds = try bounds(of: frontier)
    return try current.chains.values.compactMap { chain in
      try cursor(chain, after: max(bounds[chain.id] ?? 0, chain.forkSequence))
    }
  }

  /// Returns the number of the next commit in order of stamp, and advances past it; nil after the
  /// last.
  func takeNext(_ cursors: inout [CommitInfo]) throws -> Int64? {
    guard let next = cursors.indices.min(by: { cursors[$0].order < cursors[$1].order }) else {
      return nil
    }
    let info = cursors[next]
    if let chain = try current.chains[info.chainID],
      let following = try cursor(chain, after: info.summary.id.sequence)
    {
      cursors[next] = following
    } else {
      cursors.remove(at: next)
    }
    return info.n
  }

  /// Returns the greatest sequence number of each chain that a frontier covers.
  func bounds(of frontier: Frontier) throws -> [Int64: Int64] {
    var bounds: [Int64: Int64] = [:]
    for head in frontier.heads {
      guard let chainID = try chainHolding(head) else { continue }
      try cover(chainID, through: head.sequence, &bounds)
    }
    return bounds
  }

  func cover(_ chainID: Int64, through sequence: Int64, _ bounds: inout [Int64: Int64]) throws {
    var (chain, sequence): (Int64?, Int64) = (chainID, sequence)
    while let id = chain, bounds[id] ?? 0 < sequence {
      bounds[id] = sequence
      sequence = try current.chains[id]?.forkSequence ?? 0
      chain = try current.chains[id]?.parent
    }
  }

  private func cursor(_ chain: LogState.Chain, after sequence: Int64) throws -> CommitInfo? {
    guard let head = chain.head, sequence < head.sequence,
      let n = try commitNumber(chainID: chain.id, sequence: sequence + 1)
    else { return nil }
    return try commit(ofBlock: n)
  }

  /// Returns the chains that have commits, with their first and last ones.
  func chainSummaries() throws -> [ChainSummary] {
    try current.chains.values.compactMap { chain in
      guard let head = chain.head,
        let first = try commitNumber(chainID: chain.id, sequence: chain.forkSequence + 1),
        let last = try commitNumber(chainID: chain.id, sequence: head.sequence)
      else { return nil }
      return ChainSummary(
        first: try commit(ofBlock: first).summary,
        last: try commit(ofBlock: last).summary
      )
    }.sorted { $0.first.id < $1.first.id }
  }
}
