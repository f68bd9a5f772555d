import VarveCore

extension LogTables: InvariantChecking {
  /// Compares the state with a loaded one, and the commits in memory with the stored ones.
  func checkInvariants() throws {
    guard connection.dataVersion == version else { return }
    // The tables contain the commit being written, which is therefore no longer pending.
    let (known, open) = (state, pending)
    pending = nil
    defer { (state, pending) = (known, open) }
    try load()
    try require(known.ownChain == state.ownChain, "the own chain is another")
    try require(known.chains == state.chains, "the chains are not those of the log")
    try require(
      known.nextBlock == state.nextBlock && known.nextRow == state.nextRow,
      "the next block or row is not \(state.nextBlock) or \(state.nextRow)"
    )
    try require(known.lastCommit == state.lastCommit, "the last commit is another")
    try require(known.appliedTime == state.appliedTime, "the latest stamp is another")
    // The stored times include those of withheld commits.
    try require(
      max(known.ownTime, known.appliedTime) <= max(state.ownTime, state.appliedTime),
      "a cell is later than the log says"
    )
    // The stored numbers include those of parents of chains.
    try require(
      known.acknowledged.allSatisfy { $0.value <= state.acknowledged[$0.key] ?? 0 },
      "more of a chain was seen than the log says"
    )
    try require(known.withheldCount == state.withheldCount, "the withheld commits are others")
    try require(
      known.hasRedactions == state.hasRedactions && known.hasAwaited == state.hasAwaited,
      "a table of redactions or awaited commits is not known"
    )
    try checkCommits()
  }

  private func checkCommits() throws {
    let statement = try connection.ownStatement(
      "SELECT lineage, checksum, n FROM varve_commit WHERE n <= ? ORDER BY n DESC LIMIT 1"
    )
    for (block, info) in recentCommits.all {
      statement.bind(1, block)
      let isThere = try statement.step()
      try require(
        isThere && statement.int(0) == info.chainID && statement.int(1) == info.order.hash.checksum
          && statement.int(2) == info.n,
        "the commit of block \(block) in memory is not the stored one"
      )
      statement.reset()
    }
  }
}
