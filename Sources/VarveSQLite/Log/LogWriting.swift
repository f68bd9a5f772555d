import VarveCore

/// Appending to the log.
extension LogTables {
  /// The maximum size in bytes of a commit's only block that is stored in the commit's row.
  static let inlineThreshold = 2_048

  func store(_ block: Block, number b: Int64) throws {
    let insert = try connection.statement(
      "INSERT INTO varve_block (b, salt, digest, payload) VALUES (?, ?, ?, ?)"
    )
    insert.reserve(48)
    insert.bind(1, b)
    insert.bind(2, blob: block.isRedacted ? ContentDigest.sha256(block.stored).bytes : block.salt)
    insert.bind(3, blob: block.digest.bytes)
    try block.stored.withUnsafeBytes { bytes in
      insert.bind(4, blob: bytes)
      try insert.run()
    }
  }

  /// Replaces a block by another form. A block in its commit's row is moved to a row of its own,
  /// which has room for the digest.
  func replace(_ b: Int64, by block: Block) throws {
    let clear = try connection.statement(
      "UPDATE varve_commit SET salt = NULL, payload = NULL WHERE n = ?"
    )
    clear.bind(1, b)
    try clear.run()
    let delete = try connection.statement("DELETE FROM varve_block WHERE b = ?")
    delete.bind(1, b)
    try delete.run()
    try store(block, number: b)
    news?.replaced.insert(b)
    recentBlocks.remove(b)
  }

  /// Stores the row of a commit and all log entries about it.
  func storeCommit(
    _ header: CommitHeader,
    bytes: [UInt8],
    id: CommitID,
    n: Int64,
    chainID: Int64,
    inline: Block?
  ) throws {
    let insert = try connection.statement(.addCommit)
    insert.reserve(bytes.count + 16 + (inline?.stored.count ?? 0))
    insert.bind(1, n)
    insert.bind(2, chainID)
    insert.bind(3, header.sequence)
    insert.bind(4, header.time.rawValue)
    insert.bind(5, id.hash.checksum)
    insert.bind(6, state.nextRow)
    insert.bind(7, blob: bytes)
    if let inline {
      insert.bind(8, blob: inline.salt)
      insert.bind(9, blob: inline.stored)
    } else {
      insert.bindNull(8)
      insert.bindNull(9)
    }
    try insert.run()
    try storeRun(of: chainID, header: header, n: n)
    try storeDependencies(of: header, chainID: chainID)
    if let latest = header.latestCellTime { try storePostdated(n, latest) }
    state.lastCommit = n
    state.lastLineage = chainID
    state.nextBlock = n + Int64(max(header.blockCount, 1))
    if var chain = state.chains[chainID] {
      chain.head = id
      chain.headTime = header.time
      state.chains[chainID] = chain
    }
  }

  /// Begins a new run if the previous commit belongs to another chain.
  private func storeRun(of chainID: Int64, header: CommitHeader, n: Int64) throws {
    guard state.lastLineage != chainID else { return }
    let insert = try connection.statement(
      "INSERT INTO varve_run (lineage, first_sequence, first_n) VALUES (?, ?, ?)"
    )
    insert.bind(1, chainID)
    insert.bind(2, header.sequence)
    insert.bind(3, n)
    try insert.run()
  }

  func storeDependencies(of header: CommitHeader, chainID: Int64) throws {
    for dependency in header.dependencies {
      guard let other = try chainHolding(dependency) else { continue }
      // With a branch that is withheld, a commit names where it begins, although it saw more of the
      // other branch.
      if try dependency.sequence > seenSequence(of: other, by: chainID, header.sequence) {
        try storeSeen(other, through: dependency.sequence, by: chainID, header.sequence)
      }
      // A commit that had seen a branch had seen the chain it branched from.
      var branch = state.chains[other]
      while let chain = branch, let parent = chain.parent {
        let seen = try seenSequence(of: parent, by: chainID, header.sequence)
        if chain.forkSequence > seen {
          try storeSeen(parent, through: chain.forkSequence, by: chainID, header.sequence)
        }
        branch = state.chains[parent]
      }
    }
  }

  private func storeSeen(
    _ other: Int64,
    through otherSequence: Int64,
    by author: Int64,
    _ authorSequence: Int64
  ) throws {
    let insert = try connection.statement(
      """
      INSERT OR REPLACE INTO varve_seen (author, other, author_sequence, other_sequence)
      VALUES (?, ?, ?, ?)
      """
    )
    insert.bind(1, author)
    insert.bind(2, other)
    insert.bind(3, authorSequence)
    insert.bind(4, otherSequence)
    try insert.run()
  }

  func storePostdated(_ n: Int64, _ latest: HybridTime) throws {
    let insert = try connection.statement(
      "INSERT OR REPLACE INTO varve_postdated (n, latest) VALUES (?, ?)"
    )
    insert.bind(1, n)
    insert.bind(2, latest.rawValue)
    try insert.run()
  }

  /// Returns the chain whose own part contains a commit, or nil.
  func chainHolding(_ id: CommitID) throws -> Int64? {
    for (chainID, chain) in try current.chains where chain.replica == id.replica {
      guard id.sequence > chain.forkSequence || chain.parent == nil else { continue }
      if try holds(chainID, id) { return chainID }
    }
    return nil
  }

  func holds(_ chainID: Int64, _ id: CommitID) throws -> Bool {
    guard let chain = try current.chains[chainID], let head = chain.head else {
      return false
    }
    if head == id { return true }
    guard head.sequence > id.sequence || chain.parent != nil,
      let n = try commitNumber(chainID: chainID, sequence: id.sequence)
    else { return false }
    return try commit(ofBlock: n).summary.id == id
  }

  /// Adds a chain.
  func addChain(
    _ replica: ReplicaID,
    parent: Int64? = nil,
    forkSequence: Int64 = 0
  ) throws -> Int64 {
    let id = (state.chains.keys.max() ?? 0) + 1
    let insert = try connection.statement(
      "INSERT INTO varve_lineage (id, replica, parent, fork_sequence) VALUES (?, ?, ?, ?)"
    )
    insert.reserve(16)
    insert.bind(1, id)
    var writer = ByteWriter(capacity: 16)
    writer.replica(replica)
    insert.bind(2, blob: writer.bytes)
    insert.bind(3, parent)
    insert.bind(4, forkSequence)
    try insert.run()
    state.chains[id] = LogState.Chain(
      id: id,
      replica: replica,
      parent: parent,
      forkSequence: forkSequence,
      appliedSequence: forkSequence
    )
    return id
  }

  /// Continues under a fresh replica id.
  func startOwnChain(_ replica: ReplicaID = .random()) throws {
    state.ownChain = try addChain(replica)
    state.acknowledged = [:]
    try connection.setMeta("own_lineage", state.ownChain)
    try connection.setMeta("own_replica", state.own.replica.fingerprint)
  }
}

extension ReplicaID {
  /// Half of the id, which is enough to detect that a number refers to another chain than the one
  /// it was given to.
  var fingerprint: Int64 { Int64(bitPattern: high ^ low) }
}

extension ContentDigest {
  /// The first eight bytes, big-endian.
  var checksum: Int64 { Int64(bitPattern: words.0) }
}
