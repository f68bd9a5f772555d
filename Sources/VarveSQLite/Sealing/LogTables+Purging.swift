import VarveCore

/// The purged blocks of a sealed space. The membership log has the SHA-256 of the bytes that replace each. The
/// row of a replaced block has that hash in place of the salt.
extension LogTables {
  /// Returns the number of a block; nil if it is not here.
  func number(of block: BlockName) throws -> Int64? {
    guard let n = try number(of: block.commit),
      try block.index < commit(number: n, withBlocks: false).header.blockCount
    else { return nil }
    return n + Int64(block.index)
  }

  /// Returns whether a block is here, and not as a purge leaves it.
  func lacks(_ block: PurgedBlock) throws -> Bool {
    guard let b = try number(of: block.name) else { return false }
    let statement = try connection.statement("SELECT salt FROM varve_block WHERE b = ?")
    statement.bind(1, b)
    defer { statement.reset() }
    // A block in the row of its commit is as it was.
    return try !statement.step() || statement.blob(0) != block.digest.bytes
  }

  /// Returns the purged blocks that are here as they were before.
  ///
  /// - Complexity: O(purged blocks × log commits).
  func lackingBlocks() throws -> [PurgedBlock] {
    try sealedView?.purgedBlocks.filter { try lacks($0) } ?? []
  }

  /// Returns the commits that are here with all of their purged blocks as the last purge left them.
  func completelyPurgedCommits() throws -> [CommitID] {
    guard let blocks = try sealedView?.purgedBlocks else { return [] }
    let here = try Set(blocks.map(\.name.commit)).filter { try number(of: $0) != nil }
    return Array(here.subtracting(try lackingBlocks().map(\.name.commit))).sorted()
  }
}
