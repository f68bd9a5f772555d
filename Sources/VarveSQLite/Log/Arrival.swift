import VarveCore

/// Stores commits that were written elsewhere, before they are applied.
extension LogTables {
  /// Checks that everything a commit had seen is in this store and stamped before it.
  func checkPlace(of commit: Commit) throws {
    let header = commit.header
    if header.sequence == 1, header.previous != .zero {
      throw commit.damaged("it is the first of its replica but names a predecessor")
    }
    var seen = header.dependencies
    if header.sequence > 1 {
      seen.append(
        CommitID(
          replica: header.replica,
          sequence: header.sequence - 1,
          hash: header.previous
        )
      )
    }
    for id in seen {
      guard let chainID = try chainHolding(id),
        let n = try commitNumber(chainID: chainID, sequence: id.sequence)
      else { throw missing(id, for: commit) }
      guard try self.commit(ofBlock: n).summary.time < header.time else {
        throw commit.damaged("it is not stamped later than commits it had seen")
      }
    }
  }

  private func missing(_ id: CommitID, for commit: Commit) -> VarveError {
    VarveError(
      .missingDependencies,
      "commit \(commit.header.sequence) of replica \(commit.header.replica) needs a missing "
        + "commit",
      at: "commit \(id.sequence) of replica \(id.replica)",
      remedy: "Send all commits of the store it comes from, oldest first."
    )
  }

  /// Returns the chain that a commit continues, or a new one if the commit begins or branches a
  /// chain (R12).
  func chainID(for commit: Commit) throws -> Int64 {
    let header = commit.header
    let chains = state.chains.values.filter { $0.replica == header.replica }.sorted {
      $0.id < $1.id
    }
    for chain in chains {
      if let head = chain.head {
        if head.sequence == header.sequence - 1, head.hash == header.previous { return chain.id }
      } else if header.sequence == 1, chain.parent == nil {
        return chain.id
      }
    }
    guard header.sequence > 1 else { return try addChain(header.replica) }
    let before = CommitID(
      replica: header.replica,
      sequence: header.sequence - 1,
      hash: header.previous
    )
    guard let parent = try chainHolding(before) else { throw missing(before, for: commit) }
    return try addChain(header.replica, parent: parent, forkSequence: before.sequence)
  }

  func store(_ commit: Commit, n: Int64, chainID: Int64) throws {
    var inline: Block?
    if commit.blocks.count == 1, commit.blocks[0].stored.count <= Self.inlineThreshold,
      !commit.blocks[0].isRedacted
    {
      inline = commit.blocks[0]
    } else {
      for (index, block) in commit.blocks.enumerated() {
        try store(block, number: n + Int64(index))
      }
    }
    try storeCommit(
      commit.header,
      bytes: commit.headerBytes,
      id: commit.id,
      n: n,
      chainID: chainID,
      inline: inline
    )
  }

  func followsWithheld(_ commit: Commit, _ chainID: Int64) throws -> Bool {
    guard state.withheldCount > 0, let chain = state.chains[chainID] else { return false }
    if chain.appliedSequence < commit.header.sequence - 1 { return true }
    return try commit.header.dependencies.contains { dependency in
      guard let other = try chainHolding(dependency),
        let n = try commitNumber(chainID: other, sequence: dependency.sequence)
      else { return false }
      return try isWithheld(n)
    }
  }

  /// Withholds a commit until a time, whether or not it is withheld.
  func withhold(_ n: Int64, until time: HybridTime) throws {
    if try !isWithheld(n) { state.withheldCount += 1 }
    let insert = try connection.statement(
      "INSERT OR REPLACE INTO varve_withheld (n, time) VALUES (?, ?)"
    )
    insert.bind(1, n)
    insert.bind(2, time.rawValue)
    try insert.run()
  }

  /// Records that a withheld commit takes effect.
  func unwithhold(_ n: Int64) throws {
    let delete = try connection.statement("DELETE FROM varve_withheld WHERE n = ?")
    delete.bind(1, n)
    try delete.run()
    state.withheldCount -= 1
  }

  /// Returns the numbers of the withheld commits that are stamped up to a time, in its order.
  func withheld(upTo time: HybridTime) throws -> [Int64] {
    let due = try connection.statement("SELECT n FROM varve_withheld WHERE time <= ? ORDER BY time")
    due.bind(1, time.rawValue)
    defer { due.reset() }
    var numbers: [Int64] = []
    while try due.step() { numbers.append(due.int(0)) }
    return numbers
  }

  /// Returns the time of the next withheld commit that is stamped later than a time, or nil.
  func nextWithheld(after time: HybridTime = .distantPast) throws -> HybridTime? {
    let statement = try connection.statement(
      "SELECT min(time) FROM varve_withheld WHERE time > ? AND time < ?"
    )
    statement.bind(1, time.rawValue)
    statement.bind(2, Self.undecidedTime.rawValue)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalInt(0).map(HybridTime.init(rawValue:)) : nil
  }

  /// Stores the next row number, which may have changed after the last commit's row was stored.
  func storeNextRow() throws {
    let update = try connection.statement("UPDATE varve_commit SET next_row = ? WHERE n = ?")
    update.bind(1, state.nextRow)
    update.bind(2, state.lastCommit)
    try update.run()
  }
}
