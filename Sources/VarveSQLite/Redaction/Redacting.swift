import VarveCore

/// Removes cells from stored blocks and from what is derived from them.
extension Session {
  /// Applies the redactions in a block, one by one.
  ///
  /// - Parameter first: the place of the first among the block's redactions.
  func apply(_ redactions: [Redaction], block: Int64, first: Int = 0) throws {
    for (index, redaction) in redactions.enumerated() {
      try note(redaction, block: block, place: first + index)
      guard let lineage = try lineageHolding(redaction.commit),
        let n = try commitNumber(lineage: lineage, sequence: redaction.commit.sequence)
      else { continue }
      try redact(n, RedactedCells(redaction.parts))
      try noteExplained(n)
    }
  }

  /// Applies the redactions of a stored commit.
  func applyRedactions(of header: CommitHeader, n: Int64) throws {
    guard header.kind == .redactions else { return }
    if let horizon = try header.horizon {
      try note(horizon, n: n)
    } else {
      try noteScrub()
    }
    for b in n..<n + Int64(header.blockCount) {
      guard let content = try cells(ofBlock: b) else { continue }
      try apply(content.redactions, block: b)
    }
  }

  /// Removes cells from a stored commit.
  ///
  /// - Complexity: O(cells of the blocks that contain any, log of the others).
  func redact(_ n: Int64, _ named: RedactedCells) throws {
    let info = try commit(ofBlock: n)
    let count = try commit(number: n, withBlocks: false).header.blockCount
    var finder = BlockFinder(session: self, first: n, count: count)
    while let b = try finder.next(in: named.ordinals) {
      guard let dropped = try redactBlock(b, named) else { continue }
      if try !isWithheld(n) { try forget(dropped, info: info, block: b) }
    }
  }

  /// Removes cells from one block, and returns them.
  private func redactBlock(_ b: Int64, _ named: RedactedCells) throws -> [Cell]? {
    let content = try block(b).content
    guard let (rest, dropped) = content.redacted(named) else { return nil }
    try beginForgetting()
    let payloads = rest.payloads()
    try replace(b, by: Block(redacting: try storedBlock(b), to: payloads[0]))
    if payloads.count == 1, let chunkCount = content.chunkCount {
      for chunk in b + 1...b + Int64(chunkCount) {
        try replace(chunk, by: Block(emptying: try storedBlock(chunk)))
      }
    }
    return dropped
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
    replaced?.insert(b)
    blocks.remove(b)
  }

  /// From here on, deletions in this transaction overwrite the bytes, and other connections discard
  /// the blocks they have cached.
  private func beginForgetting() throws {
    guard !isForgetting else { return }
    isForgetting = true
    try connection.execute("PRAGMA secure_delete = ON")
    try noteCatalogueChange()
  }

  /// Returns a block of cells; nil for a chunk of a large value.
  func cells(ofBlock b: Int64) throws -> BlockContent? {
    let payload = try storedBlock(b).payload()
    return payload.first == BlockContent.chunkTag ? nil : try BlockContent(decoding: payload)
  }
}

/// Finds the blocks of a commit that contain cells at given places, without reading all of them.
private struct BlockFinder {
  let session: Session
  /// The first block, and the number of blocks.
  let first: Int64
  let count: Int
  /// The first block that was neither returned nor skipped.
  private var start = 0
  private var range = 0
  private var firsts: [Int: Int?] = [:]

  init(session: Session, first: Int64, count: Int) {
    self.session = session
    self.first = first
    self.count = count
  }

  /// Returns the next block that may contain one of the places.
  mutating func next(in ordinals: OrdinalSet) throws -> Int64? {
    while range < ordinals.ranges.count {
      let wanted = ordinals.ranges[range]
      let found = max(start, try lastBlock(beginningAtMost: wanted.lowerBound) ?? 0)
      for index in found..<count {
        guard let begin = try firstOrdinal(index) else { continue }
        guard begin < wanted.upperBound else { break }
        start = index + 1
        return first + Int64(index)
      }
      range += 1
    }
    return nil
  }

  /// Returns the last block whose first cell is not after a place.
  private mutating func lastBlock(beginningAtMost ordinal: Int) throws -> Int? {
    var (low, high) = (0, count - 1)
    var best: Int?
    while low <= high {
      let middle = (low + high) / 2
      var probe = middle
      while probe >= low, try firstOrdinal(probe) == nil { probe -= 1 }
      guard probe >= low, let begin = try firstOrdinal(probe) else {
        low = middle + 1
        continue
      }
      if begin <= ordinal {
        best = probe
        low = middle + 1
      } else {
        high = probe - 1
      }
    }
    return best
  }

  /// Returns the place of the first cell of a block; nil for a chunk, or if all cells were removed.
  private mutating func firstOrdinal(_ index: Int) throws -> Int? {
    if let known = firsts[index] { return known }
    let ordinal = try session.cells(ofBlock: first + Int64(index))?.firstOrdinal
    firsts[index] = .some(ordinal)
    return ordinal
  }
}
