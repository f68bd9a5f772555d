import VarveCore

/// Reads the log: commits, blocks, chains.
extension LogTables {
  /// Returns the commit that contains a block: the one with the greatest number not above the
  /// block's.
  func commit(ofBlock b: Int64) throws -> CommitInfo {
    if let pending, b >= pending.n { return pending.info }
    if let info = recentCommits[b] { return info }
    // Loading the view reads commits, by the same statement.
    _ = try sealedView
    let statement = try connection.statement(.findCommit)
    statement.bind(1, b)
    defer { statement.reset() }
    guard try statement.step() else { throw connection.damaged("block \(b) belongs to no commit") }
    let (info, blockCount) = try readInfo(statement)
    // A block after the last one may be that of a commit to come.
    if b == info.n || b < info.n + Int64(blockCount) { recentCommits.add(info, at: b) }
    return info
  }

  private func readInfo(_ statement: Statement) throws -> (info: CommitInfo, blockCount: Int) {
    let bytes = statement.blob(2)
    var header = try CommitHeader(encoded: bytes)
    let seal = try nameAuthor(of: &header)
    let hash = CommitHeader.hash(ofEncoded: bytes)
    guard statement.int(3) == hash.checksum else {
      throw connection.damaged("the header of commit number \(statement.int(0)) has changed")
    }
    let id = CommitID(replica: header.replica, sequence: header.sequence, hash: hash)
    var summary = CommitSummary(header, id: id)
    summary.handedOverBy = try handover(of: statement.int(0))
    let info = CommitInfo(
      n: statement.int(0),
      chainID: statement.int(1),
      summary: summary,
      order: CommitOrder(stamp: header.stamp, hash: hash),
      latest: max(header.time, header.latestCellTime ?? header.time),
      hasOneBlock: header.blockCount == 1,
      seal: seal
    )
    return (info, header.blockCount)
  }

  /// Returns the number of a chain's commit, which may be in the chain it branched from.
  func commitNumber(chainID: Int64, sequence: Int64) throws -> Int64? {
    guard let chain = try current.chains[chainID] else { return nil }
    if let parent = chain.parent, sequence <= chain.forkSequence {
      return try commitNumber(chainID: parent, sequence: sequence)
    }
    let statement = try connection.statement(
      """
      SELECT first_n FROM varve_run WHERE lineage = ? AND first_sequence <= ?
      ORDER BY first_sequence DESC LIMIT 1
      """
    )
    statement.bind(1, chainID)
    statement.bind(2, sequence)
    let first = try statement.step() ? statement.int(0) : nil
    statement.reset()
    guard let first, let last = try lastCommitNumber(ofRunAt: first) else { return nil }
    return try find(sequence, from: first, through: last)
  }

  /// Searches a run, in which numbers and sequence numbers rise together.
  private func find(_ sequence: Int64, from first: Int64, through last: Int64) throws -> Int64? {
    var (low, high) = (first, last)
    let statement = try connection.statement(
      "SELECT n, sequence FROM varve_commit WHERE n <= ? ORDER BY n DESC LIMIT 1"
    )
    defer { statement.reset() }
    while low <= high {
      statement.reset()
      let middle = low + (high - low) / 2
      statement.bind(1, middle)
      guard try statement.step() else { return nil }
      let (n, found) = (statement.int(0), statement.int(1))
      if found == sequence { return n }
      if found < sequence { low = middle + 1 } else { high = n - 1 }
    }
    return nil
  }

  /// Returns the number of the last commit of the run that begins at a number.
  func lastCommitNumber(ofRunAt first: Int64) throws -> Int64? {
    let next = try connection.statement(
      "SELECT first_n FROM varve_run WHERE first_n > ? ORDER BY first_n LIMIT 1"
    )
    next.bind(1, first)
    let end = try next.step() ? next.int(0) : nil
    next.reset()
    let last = try connection.statement(
      "SELECT n FROM varve_commit WHERE n < ? ORDER BY n DESC LIMIT 1"
    )
    last.bind(1, end ?? Int64.max)
    defer { last.reset() }
    return try last.step() ? last.int(0) : nil
  }

  /// Returns a block in which cells are found.
  func block(_ b: Int64) throws -> IndexedBlock {
    if let block = recentBlocks[b] { return block }
    if let pending, b == pending.openBlock { return IndexedBlock(pending.builder.content) }
    try storeSealed(b)
    let payload = try payload(ofBlock: b)
    let block = try IndexedBlock(payload) ?? IndexedBlock(content(ofBlock: b, payload))
    recentBlocks.add(block, b)
    return block
  }

  /// Returns the latest time of its own that a cell of a stored block has, or the distant past.
  func latestOwnTime(inBlock b: Int64) throws -> HybridTime {
    if let time = recentBlocks.latestOwnTimes[b] { return time }
    let time = try block(b).latestOwnTime ?? .distantPast
    recentBlocks.noteLatestOwnTime(time, b)
    return time
  }

  /// Returns the content of a block, with its large value.
  func content(ofBlock b: Int64) throws -> BlockContent {
    if let pending, b == pending.openBlock { return pending.builder.content }
    try storeSealed(b)
    return try content(ofBlock: b, try payload(ofBlock: b))
  }

  private func content(ofBlock b: Int64, _ payload: [UInt8]) throws -> BlockContent {
    var content = try BlockContent(decoding: payload)
    if let chunked = content.chunked {
      let chunks = try (0..<Int64(chunked.chunkCount)).map { try openedBlock(b + 1 + $0).chunk() }
      try content.complete(with: chunks)
    }
    return content
  }

  /// Stores a block of the commit being written, if it may still be in the pipeline.
  private func storeSealed(_ b: Int64) throws {
    guard let pending, b >= pending.n else { return }
    try pending.drain { block, b in try store(block, number: b) }
  }

  /// Returns a block as it is stored, in a row of its own or in its commit's row.
  func storedBlock(_ b: Int64) throws -> Block {
    let statement = try connection.statement(
      "SELECT salt, digest, payload FROM varve_block WHERE b = ?"
    )
    statement.bind(1, b)
    defer { statement.reset() }
    if try statement.step() {
      guard let digest = ContentDigest(statement.blob(1)) else {
        throw connection.damaged("the digest of block \(b) has a wrong length")
      }
      return try block(b, salt: statement.blob(0), digest, stored: statement.blob(2))
    }
    return try inlineBlock(b)
  }

  /// Returns the payload of a stored block, for reading cells. Its digest is not computed.
  func payload(ofBlock b: Int64) throws -> [UInt8] {
    if recentCommits[b]?.hasOneBlock == true, let payload = try inlinePayload(b) { return payload }
    let statement = try connection.statement(.findBlock)
    statement.bind(1, b)
    defer { statement.reset() }
    if try statement.step() {
      let isRedacted = statement.byteCount(0) == ContentDigest.byteCount
      guard !isRedacted else {
        return try storedBlock(b).stored.withUnsafeBytes { try payload(of: $0, b) }
      }
      return try payload(of: statement.bytes(1), b)
    }
    guard let payload = try inlinePayload(b) else {
      throw connection.damaged("block \(b) is missing")
    }
    return payload
  }

  /// Returns the payload of a block that is in the row of its commit, or nil.
  private func inlinePayload(_ b: Int64) throws -> [UInt8]? {
    let statement = try connection.statement("SELECT payload FROM varve_commit WHERE n = ?")
    statement.bind(1, b)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return try payload(of: statement.bytes(0), b)
  }

  /// Returns the original digest of a block, even if the block was redacted.
  func digest(ofBlock b: Int64) throws -> ContentDigest { try storedBlock(b).digest }

  /// Creates a block from its row. A redacted block has the SHA-256 of its stored bytes in place of
  /// a salt.
  private func block(
    _ b: Int64,
    salt: [UInt8],
    _ digest: ContentDigest,
    stored: [UInt8]
  ) throws -> Block {
    guard let checksum = ContentDigest(salt) else {
      return Block(salt: salt, digest: digest, stored: stored)
    }
    guard ContentDigest.sha256(stored) == checksum else {
      throw connection.damaged("the rest of the redacted block \(b) has changed")
    }
    return Block(salt: [], digest: digest, stored: stored)
  }

  private func inlineBlock(_ b: Int64) throws -> Block {
    let statement = try connection.statement(
      "SELECT salt, payload FROM varve_commit WHERE n = ?"
    )
    statement.bind(1, b)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(1) else {
      throw connection.damaged("block \(b) is missing")
    }
    let (salt, stored) = (statement.blob(0), statement.blob(1))
    return Block(salt: salt, digest: .sha256(salt, stored), stored: stored)
  }

  /// Returns a commit by its number, with or without its blocks.
  func commit(number n: Int64, withBlocks: Bool = true) throws -> Commit {
    let statement = try connection.statement("SELECT header FROM varve_commit WHERE n = ?")
    statement.bind(1, n)
    guard try statement.step() else {
      statement.reset()
      throw connection.damaged("commit number \(n) is missing")
    }
    let bytes = statement.blob(0)
    statement.reset()
    let head = try Commit(headerBytes: bytes, blocks: [])
    guard withBlocks else { return head }
    let isOutline = try awaitsOutline(n) == true
    let blocks = try (0..<Int64(head.header.blockCount)).map { index in
      let block = try storedBlock(n + index)
      return isOutline && block.isRedacted ? block.asOutline : block
    }
    return head.with(blocks)
  }

  func isWithheld(_ n: Int64) throws -> Bool {
    let statement = try connection.statement("SELECT 1 FROM varve_withheld WHERE n = ?")
    statement.bind(1, n)
    defer { statement.reset() }
    return try statement.step()
  }

  /// Returns a block of cells; nil for a chunk of a large value.
  func cells(ofBlock b: Int64) throws -> BlockContent? {
    let payload = try openedBlock(b).payload()
    return payload.first == BlockContent.chunkTag ? nil : try BlockContent(decoding: payload)
  }
}

extension UnsafeRawBufferPointer {
  /// Calls a closure with a reader of the bytes.
  func withReader<Result>(_ body: (inout ByteReader) throws -> Result) throws -> Result {
    var reader = ByteReader(self)
    return try body(&reader)
  }
}
