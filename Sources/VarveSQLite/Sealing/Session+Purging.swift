import VarveCore

/// Purges blocks of a sealed space: an admin's device encrypts what is left of them anew, and every store
/// replaces them by that.
extension Session {
  // MARK: Sealing anew

  /// Returns the blocks that have cells which redactions name, sealed anew without them.
  ///
  /// - Complexity: O(cells of these blocks).
  func resealed(_ redactions: [Redaction]) throws -> [ResealedBlock] {
    var named: [CommitID: RedactedCells] = [:]
    for redaction in redactions {
      named[redaction.commit, default: RedactedCells()].add(redaction.parts)
    }
    var blocks: [ResealedBlock] = []
    for (id, cells) in named.sorted(by: { $0.key < $1.key }) {
      try requireRunning()
      guard let n = try log.number(of: id) else { continue }
      let count = try log.commit(number: n, withBlocks: false).header.blockCount
      var finder = BlockFinder(session: self, first: n, count: count)
      while let b = try finder.next(in: cells.ordinals) {
        blocks += try resealed(b, of: id, at: n, cells)
      }
    }
    return blocks
  }

  /// Returns a block and the chunks of its large value, sealed anew; nothing if it has none of the cells.
  private func resealed(
    _ b: Int64,
    of commit: CommitID,
    at n: Int64,
    _ cells: RedactedCells
  ) throws -> [ResealedBlock] {
    let content = try log.content(ofBlock: b)
    guard let (rest, _) = content.redacted(cells) else { return [] }
    func seal(_ payload: [UInt8], _ b: Int64) throws -> ResealedBlock {
      guard let seal = try log.commit(ofBlock: n).seal else {
        throw connection.damaged("commit number \(n) is not sealed")
      }
      let name = BlockName(commit: commit, index: Int(b - n))
      let stored = try seal.sealed(Block.packed(payload), index: name.index)
      return ResealedBlock(name: name, digest: try log.digest(ofBlock: b), stored: stored)
    }
    let payloads = rest.payloads()
    var blocks = [try seal(payloads[0], b)]
    guard payloads.count == 1, let chunkCount = content.chunkCount else { return blocks }
    for chunk in b + 1...b + Int64(chunkCount) {
      blocks.append(try seal([BlockContent.cellsTag], chunk))
    }
    return blocks
  }

  // MARK: Replacing

  /// Keeps a proof, and replaces the block if it is here.
  func keep(_ purge: SealedPurge, _ stored: [UInt8]) throws {
    try log.keep(purge)
    guard let b = try log.number(of: purge.block) else { return }
    let former = try log.storedBlock(b)
    guard former.digest == purge.oldDigest, ContentDigest.sha256(stored) == purge.newDigest,
      stored.first == Block.sealedEncoding
    else { throw purge.isOfAnother }
    guard former.stored != stored else { return }
    let block = Block(salt: [], digest: former.digest, stored: stored)
    let dropped = try log.view?.readsContent == true ? droppedCells(b, block, purge) : []
    try beginForgetting()
    try log.replace(b, by: block)
    try noteScrub()
    let info = try log.commit(ofBlock: b)
    guard !dropped.isEmpty, try !log.isWithheld(info.n), try !log.isVoid(info.n) else { return }
    try forget(dropped, info: info, block: b)
  }

  /// Returns the cells that a block has and its replacement has not.
  ///
  /// - Throws: `damaged` if the rest is not the same; then who encrypted it anew lied.
  private func droppedCells(_ b: Int64, _ block: Block, _ purge: SealedPurge) throws -> [Cell] {
    let info = try log.commit(ofBlock: b)
    // What this device cannot read, it does not show.
    guard let seal = info.seal, let old = try? log.openedBlock(b).payload() else { return [] }
    let new = try block.opened(by: seal, index: purge.block.index).payload()
    guard old.first != BlockContent.chunkTag else {
      guard new == [BlockContent.cellsTag] else { throw purge.isNotTheRest }
      return []
    }
    let former = try log.content(ofBlock: b).cells
    var rest = try BlockContent(decoding: new)
    if let chunked = rest.chunked {
      let chunks = try (0..<Int64(chunked.chunkCount)).map {
        try log.openedBlock(b + 1 + $0).chunk()
      }
      try rest.complete(with: chunks)
    }
    let kept = Set(rest.cells.map(CellName.init))
    let dropped = former.filter { !kept.contains(CellName($0)) }
    guard dropped.allSatisfy({ $0.content.forgettableKey != nil }), rest.redactions.isEmpty,
      former.filter({ kept.contains(CellName($0)) }) == rest.cells
    else { throw purge.isNotTheRest }
    return dropped
  }
}

extension BlockContent {
  fileprivate var cells: [Cell] { sections.flatMap(\.cells) }
}

/// What a cell is called in its commit.
private struct CellName: Hashable {
  let ordinal: Int
  let key: PropertyKey?

  init(_ cell: Cell) { (ordinal, key) = (cell.ordinal, cell.content.forgettableKey) }
}

extension SealedPurge {
  private var place: String {
    "block \(block.index) of commit \(block.commit.sequence) of replica \(block.commit.replica)"
  }

  fileprivate var isOfAnother: VarveError {
    VarveError(
      .damaged,
      "a proof of purging is not that of the block, or of the bytes that came with it",
      at: place,
      remedy: "Synchronise with another store of the space."
    )
  }

  fileprivate var isNotTheRest: VarveError {
    VarveError(
      .damaged,
      "a block was encrypted anew with other content than the rest of what it had",
      at: place,
      remedy: "The admin who purged it changed history. Keep this store, and ask another admin."
    )
  }
}
