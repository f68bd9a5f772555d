import VarveCore

/// The proofs by which blocks of a sealed space were purged, in a table that is made with the first.
extension LogTables {
  /// Keeps a proof beside those of the same block with other bytes.
  func keep(_ purge: SealedPurge) throws {
    try connection.execute(Schema.purges)
    let insert = try connection.statement(
      "INSERT OR REPLACE INTO varve_purge (target, place, digest, proof) VALUES (?, ?, ?, ?)"
    )
    insert.reserve(96 + purge.encoded.count)
    insert.bind(1, blob: Self.target(purge.block.commit))
    insert.bind(2, Int64(purge.block.index))
    insert.bind(3, blob: purge.newDigest.bytes)
    insert.bind(4, blob: purge.encoded)
    try insert.run()
  }

  /// Returns the last proof of a block; if some bytes are given, the one that says that the block has them.
  func proof(of block: BlockName, having stored: [UInt8]? = nil) throws -> [UInt8]? {
    guard try connection.hasTable("varve_purge") else { return nil }
    let statement = try connection.statement(
      """
      SELECT proof FROM varve_purge WHERE target = ? AND place = ? AND digest = ifnull(?, digest)
      ORDER BY number DESC LIMIT 1
      """
    )
    statement.reserve(96)
    statement.bind(1, blob: Self.target(block.commit))
    statement.bind(2, Int64(block.index))
    if let stored {
      statement.bind(3, blob: ContentDigest.sha256(stored).bytes)
    } else {
      statement.bindNull(3)
    }
    defer { statement.reset() }
    return try statement.step() ? statement.blob(0) : nil
  }

  /// Returns all proofs, in the order in which they came.
  func purges() throws -> [(block: BlockName, proof: [UInt8])] {
    guard try connection.hasTable("varve_purge") else { return [] }
    let statement = try connection.ownStatement(
      "SELECT target, place, proof FROM varve_purge ORDER BY number"
    )
    var purges: [(block: BlockName, proof: [UInt8])] = []
    while try statement.step() {
      let commit = try statement.bytes(0).withReader { try $0.commitID() }
      let block = BlockName(commit: commit, index: Int(statement.int(1)))
      purges.append((block, statement.blob(2)))
    }
    return purges
  }

  /// Returns whether a proof says that a block of a commit has the content that it has.
  func isProven(_ block: Block, _ name: BlockName) throws -> Bool {
    try proof(of: name, having: block.stored) != nil
  }

  /// Returns the number of a block; nil if it is not here.
  func number(of block: BlockName) throws -> Int64? {
    guard let n = try number(of: block.commit),
      try block.index < commit(number: n, withBlocks: false).header.blockCount
    else { return nil }
    return n + Int64(block.index)
  }

  private static func target(_ commit: CommitID) -> [UInt8] {
    var writer = ByteWriter(capacity: 64)
    writer.commitID(commit)
    return writer.bytes
  }
}
