import VarveCore

/// Reading the log: commits, blocks, chains.
extension Session {
  /// The columns every statement that reads a commit names, in this order.
  private static let commitColumns = "n, lineage, header, checksum"

  /// The commit that holds a block: the one with the greatest number not above it.
  func commit(ofBlock b: Int64) throws -> CommitInfo {
    if let pending, b >= pending.n { return pending.info }
    if let info = commits[b] { return info }
    let statement = try connection.statement(
      "SELECT \(Self.commitColumns) FROM varve_commit WHERE n <= ? ORDER BY n DESC LIMIT 1"
    )
    statement.bind(1, b)
    defer { statement.reset() }
    guard try statement.step() else { throw connection.damaged("block \(b) belongs to no commit") }
    let info = try readInfo(statement)
    commits.add(info)
    return info
  }

  private func readInfo(_ statement: Statement) throws -> CommitInfo {
    let bytes = statement.blob(2)
    let header = try CommitHeader(encoded: bytes)
    let hash = CommitHeader.hash(ofEncoded: bytes)
    guard statement.int(3) == hash.checksum else {
      throw connection.damaged("the header of commit number \(statement.int(0)) has changed")
    }
    let id = CommitID(replica: header.replica, sequence: header.sequence, hash: hash)
    return CommitInfo(
      n: statement.int(0),
      lineage: statement.int(1),
      summary: CommitSummary(header, id: id),
      order: CommitOrder(stamp: header.stamp, hash: hash)
    )
  }

  /// The number of a commit of a chain, following the chain it branched from.
  func commitNumber(lineage: Int64, sequence: Int64) throws -> Int64? {
    guard let chain = log.lineages[lineage] else { return nil }
    if let parent = chain.parent, sequence <= chain.forkSequence {
      return try commitNumber(lineage: parent, sequence: sequence)
    }
    let statement = try connection.statement(
      """
      SELECT first_n FROM varve_run WHERE lineage = ? AND first_sequence <= ?
      ORDER BY first_sequence DESC LIMIT 1
      """
    )
    statement.bind(1, lineage)
    statement.bind(2, sequence)
    let first = try statement.step() ? statement.int(0) : nil
    statement.reset()
    guard let first, let last = try lastCommitNumber(ofRunAt: first) else { return nil }
    return try find(sequence, from: first, through: last)
  }

  /// Searches a run, in which numbers and sequences rise together.
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

  /// The last commit of the run that begins at a number.
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

  /// A block, decoded.
  func block(_ b: Int64) throws -> DecodedBlock {
    if let block = blocks[b] { return block }
    if let pending, b == pending.openBlock { return DecodedBlock(pending.builder.content) }
    if let pending, b >= pending.n {
      try pending.drain { block, b in try store(block, number: b) }
    }
    var content = try BlockContent(decoding: try storedBlock(b).payload())
    if let chunked = content.chunked {
      let chunks = try (0..<Int64(chunked.chunkCount)).map { try storedBlock(b + 1 + $0).chunk() }
      try content.complete(with: chunks)
    }
    let block = DecodedBlock(content)
    blocks.add(block, b)
    return block
  }

  /// One cell of a block that is not decoded yet, if it can be found without decoding the others
  /// and this is the first that is asked for.
  func skim(_ b: Int64, ordinal: Int) throws -> Cell.Content? {
    guard pending == nil, blocks.isFirstLook(at: b) else { return nil }
    return try BlockContent.skim(try storedBlock(b).payload(), ordinal: ordinal)
  }

  /// A block as it is stored, in a row of its own or in its commit's.
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

  /// The digest a block has, or had before it was redacted.
  func digest(ofBlock b: Int64) throws -> ContentDigest { try storedBlock(b).digest }

  /// Where a salt would stand, a redacted block has the SHA-256 of what is stored.
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
      throw connection.damaged("what redactions left of block \(b) has changed")
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

  /// A whole commit by its number, or its header alone.
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

  /// Loads what a writer must know of the log.
  func loadLog() throws {
    var fresh = LogState()
    try loadLineages(into: &fresh)
    log = fresh
    let last = try connection.statement(
      "SELECT n, lineage, next_row, header FROM varve_commit ORDER BY n DESC LIMIT 1"
    )
    if try last.step() {
      let header = try CommitHeader(encoded: last.blob(3))
      log.lastCommit = last.int(0)
      log.lastLineage = last.int(1)
      log.nextRow = last.int(2)
      log.nextBlock = last.int(0) + Int64(max(header.blockCount, 1))
    }
    last.reset()
    for id in log.lineages.keys { try loadHead(of: id) }
    log.withheldCount = Int(
      try connection.integer("SELECT count(*) FROM varve_withheld") ?? 0
    )
    if let latest = try connection.integer("SELECT max(latest) FROM varve_postdated") {
      log.ownTime = HybridTime(rawValue: latest)
    }
    try loadAcknowledged()
    log.hasRedactions = try hasTable("varve_redaction")
    log.hasAwaited = try hasTable("varve_awaited")
  }

  private func loadLineages(into log: inout LogState) throws {
    let statement = try connection.statement(
      "SELECT id, replica, parent, fork_sequence FROM varve_lineage"
    )
    defer { statement.reset() }
    while try statement.step() {
      let replica = try statement.bytes(1).withReader { try $0.replica() }
      log.lineages[statement.int(0)] = LogState.Lineage(
        id: statement.int(0),
        replica: replica,
        parent: statement.optionalInt(2),
        forkSequence: statement.int(3)
      )
    }
    log.ownLineage = try metaInteger("own_lineage") ?? 0
    guard let own = log.lineages[log.ownLineage] else {
      throw connection.damaged("the chain this file writes on is not there")
    }
    // Stores of before do not say it.
    if let expected = try metaInteger("own_replica"), expected != own.replica.fingerprint {
      throw connection.damaged("the chain this file writes on is of another replica")
    }
  }

  private func loadHead(of lineage: Int64) throws {
    guard var chain = log.lineages[lineage] else { return }
    if let n = try lastCommitNumber(of: lineage) {
      let info = try commit(ofBlock: n)
      guard info.lineage == lineage, info.summary.id.replica == chain.replica else {
        throw connection.damaged("chain \(lineage) does not end with a commit of its replica")
      }
      chain.head = info.summary.id
      chain.headTime = info.summary.time
      if let applied = try lastApplied(of: lineage, atMost: info) {
        chain.appliedSequence = applied.summary.id.sequence
        chain.appliedTime = applied.summary.time
        log.appliedTime = max(log.appliedTime, applied.summary.time)
      } else {
        chain.appliedSequence = chain.forkSequence
      }
    } else {
      chain.appliedSequence = chain.forkSequence
    }
    log.lineages[lineage] = chain
  }

  private func lastCommitNumber(of lineage: Int64) throws -> Int64? {
    let run = try connection.statement(
      """
      SELECT first_n FROM varve_run WHERE lineage = ? ORDER BY first_sequence DESC LIMIT 1
      """
    )
    run.bind(1, lineage)
    let first = try run.step() ? run.int(0) : nil
    run.reset()
    return try first.flatMap { try lastCommitNumber(ofRunAt: $0) }
  }

  /// The newest applied commit of a chain; withheld ones stand at its end.
  private func lastApplied(of lineage: Int64, atMost head: CommitInfo) throws -> CommitInfo? {
    var info = head
    while try isWithheld(info.n) {
      let sequence = info.summary.id.sequence - 1
      guard let chain = log.lineages[lineage], sequence > chain.forkSequence,
        let n = try commitNumber(lineage: lineage, sequence: sequence)
      else { return nil }
      info = try commit(ofBlock: n)
    }
    return info
  }

  func isWithheld(_ n: Int64) throws -> Bool {
    let statement = try connection.statement("SELECT 1 FROM varve_withheld WHERE n = ?")
    statement.bind(1, n)
    defer { statement.reset() }
    return try statement.step()
  }

  private func loadAcknowledged() throws {
    let statement = try connection.statement(
      "SELECT other, max(other_sequence) FROM varve_seen WHERE author = ? GROUP BY other"
    )
    statement.bind(1, log.ownLineage)
    defer { statement.reset() }
    while try statement.step() { log.acknowledged[statement.int(0)] = statement.int(1) }
  }
}

extension UnsafeRawBufferPointer {
  /// Reads from the bytes.
  func withReader<Result>(_ body: (inout ByteReader) throws -> Result) throws -> Result {
    var reader = ByteReader(self)
    return try body(&reader)
  }
}
