import VarveCore

/// Purges blocks of a sealed space: an admin's device seals what is left of them anew, and every store
/// replaces them by that.
extension Session {
  // MARK: Sealing anew

  /// Returns blocks that have cells which redactions name, sealed anew. A value in chunks goes with them.
  ///
  /// - Parameters:
  ///   - redactions: the cells for which a block is sealed anew.
  ///   - others: further cells that it loses then.
  ///   - byteCount: the size after which no further block is sealed.
  /// - Complexity: O(cells of these blocks).
  func resealed(
    without redactions: [Redaction],
    and others: [Redaction],
    atMost byteCount: Int
  ) throws -> [ResealedBlock] {
    var blocks: [ResealedBlock] = []
    var size = 0
    for (id, redactions) in Dictionary(grouping: redactions, by: \.commit).sorted(by: {
      $0.key < $1.key
    }) {
      guard let n = try log.number(of: id), try log.commit(ofBlock: n).seal != nil else { continue }
      let cells = RedactedCells(redactions.flatMap(\.parts))
      var all = cells
      for other in others where other.commit == id { all.add(other.parts) }
      let count = try log.commit(number: n, withBlocks: false).header.blockCount
      var finder = BlockFinder(session: self, first: n, count: count)
      while size < byteCount, let b = try finder.next(in: cells.ordinals) {
        try requireRunning()
        guard try log.content(ofBlock: b).redacted(cells) != nil else { continue }
        let group = try resealed(b, of: id, at: n, all)
        blocks += group
        size += group.reduce(0) { $0 + $1.stored.count }
      }
    }
    return blocks
  }

  /// Returns a block and the chunks of a value that it loses, sealed anew.
  private func resealed(
    _ b: Int64,
    of commit: CommitID,
    at n: Int64,
    _ cells: RedactedCells
  ) throws -> [ResealedBlock] {
    let content = try log.content(ofBlock: b)
    guard let seal = try log.commit(ofBlock: n).seal,
      let (rest, dropped) = content.redacted(cells)
    else { return [] }
    func sealed(_ payload: [UInt8], _ b: Int64, _ redaction: Redaction?) throws -> ResealedBlock {
      let name = BlockName(commit: commit, index: Int(b - n))
      let stored = try seal.sealed(Block.packed(payload), index: name.index)
      return ResealedBlock(name: name, stored: stored, redaction: redaction)
    }
    let payloads = rest.payloads()
    var blocks = [try sealed(payloads[0], b, Redaction(commit, dropped.parts))]
    guard payloads.count == 1, let chunkCount = content.chunkCount else { return blocks }
    for chunk in b + 1...b + Int64(chunkCount) {
      blocks.append(try sealed([BlockContent.cellsTag], chunk, nil))
    }
    return blocks
  }

  /// Returns the cells that a compaction up to a time folds, and its horizon.
  func foldable(upTo time: HybridTime) throws -> (redactions: [Redaction], horizon: Horizon) {
    var redactions: [Redaction] = []
    _ = try compact(upTo: time) { redactions += $0 }
    return (redactions, try log.horizon(upTo: time))
  }

  // MARK: Replacing

  /// Replaces a block by what a purge leaves of it, if the block is here.
  ///
  /// - Returns: false, and nothing changes, if this device sees that the bytes are not the rest of what it
  ///   has.
  func replace(_ block: PurgedBlock, by stored: [UInt8]) throws -> Bool {
    guard ContentDigest.sha256(stored) == block.digest, stored.first == Block.sealedEncoding else {
      throw connection.damaged("the bytes are not what a purge left of a block")
    }
    guard let b = try log.number(of: block.name), try log.lacks(block) else { return true }
    let former = try log.storedBlock(b)
    let new = Block(salt: [], digest: former.digest, stored: stored)
    let info = try log.commit(ofBlock: b)
    let readsContent = log.view?.readsContent == true
    let mayShow = try readsContent && !log.isWithheld(info.n) && !log.isVoid(info.n)
    guard let dropped = try mayShow ? droppedCells(b, new) : [] else { return false }
    try beginForgetting()
    try log.replace(b, by: new)
    if !dropped.isEmpty { try forget(dropped, info: info, block: b) }
    return true
  }

  /// Returns the cells that a block has and its replacement has not; nil if the rest is not the same.
  private func droppedCells(_ b: Int64, _ new: Block) throws -> [Cell]? {
    let info = try log.commit(ofBlock: b)
    guard let seal = info.seal else { return [] }
    guard let payload = Self.payload(of: new, seal, index: Int(b - info.n)) else { return nil }
    guard try log.openedBlock(b).payload().first != BlockContent.chunkTag else {
      let isFree = try payload == [BlockContent.cellsTag] && !isChunkInUse(b, of: info.n)
      return isFree ? [] : nil
    }
    let former = try log.content(ofBlock: b).cells
    guard var rest = try? BlockContent(decoding: payload) else { return nil }
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
    else { return nil }
    return dropped
  }
}

extension Session {
  /// Returns the payload of a block that came in place of another; nil if it cannot be read.
  private static func payload(of new: Block, _ seal: any CommitSeal, index: Int) -> [UInt8]? {
    try? new.opened(by: seal, index: index).payload()
  }

  /// Returns whether the block before a chunk and its siblings has a value in chunks.
  private func isChunkInUse(_ chunk: Int64, of n: Int64) throws -> Bool {
    var b = chunk
    while b > n {
      b -= 1
      if let content = try log.cells(ofBlock: b) { return content.chunked != nil }
    }
    return false
  }
}

/// The identity of a cell in its commit.
private struct CellName: Hashable {
  let ordinal: Int
  let key: PropertyKey?

  init(_ cell: Cell) { (ordinal, key) = (cell.ordinal, cell.content.forgettableKey) }
}

extension BlockContent {
  fileprivate var cells: [Cell] { sections.flatMap(\.cells) }
}

extension [Cell] {
  /// The cells as a redaction names them.
  fileprivate var parts: [Redaction.Part] {
    Dictionary(grouping: self) { $0.content.forgettableKey }
      .sorted { $0.key?.text ?? "" < $1.key?.text ?? "" }
      .map { Redaction.Part(key: $0.key, ordinals: OrdinalSet($0.value.map(\.ordinal))) }
  }
}
