import VarveCore

/// The commit that a transaction is writing.
final class PendingCommit {
  /// The number of the commit, which is that of its first block.
  let n: Int64
  let request: WriteRequest
  /// The place and summary of the commit; the hash is not known yet.
  let info: CommitInfo
  /// The seal of the commit; nil in an open space.
  let seal: (any CommitSeal)?
  var builder = BlockBuilder()
  /// The horizon of a compaction, if the commit folds history.
  var horizon: Horizon?
  /// Whether a purge or a compaction of a sealed space goes with it, which the home of the membership orders.
  var proposesPurge = false
  /// The number of blocks that were given to the pipeline.
  private(set) var blockCount: Int64 = 0
  private(set) var digests: [ContentDigest] = []
  private var jobs: [SealingJob] = []

  /// The maximum number of blocks that are sealed concurrently; more would only use memory.
  private static let jobCapacity = 4
  /// The size in bytes below which a last block is sealed on the same thread, which costs less than
  /// passing it on.
  private static let workerThreshold = 32 << 10

  init(
    n: Int64,
    chainID: Int64,
    replica: ReplicaID,
    sequence: Int64,
    time: HybridTime,
    request: WriteRequest,
    seal: (any CommitSeal)? = nil
  ) {
    self.seal = seal
    self.n = n
    self.request = request
    let header = CommitHeader(
      replica: replica,
      sequence: sequence,
      time: time,
      previous: .zero,
      dependencies: [],
      author: request.author,
      message: request.message,
      ordinalCount: 0,
      blockCount: 0,
      blocksDigest: .zero
    )
    let id = CommitID(replica: replica, sequence: sequence, hash: .zero)
    info = CommitInfo(
      n: n,
      chainID: chainID,
      summary: CommitSummary(header, id: id),
      order: CommitOrder(stamp: header.stamp, hash: .zero),
      latest: .distantFuture,
      seal: seal
    )
  }

  /// The number of the block to which cells are being added.
  var openBlock: Int64 { n + blockCount }

  var isEmpty: Bool { builder.isEmpty && blockCount == 0 }

  /// Passes the open block on to be sealed, and stores the blocks that are ready.
  func sealOpenBlock(store: (Block, Int64) throws -> Void) throws {
    guard !builder.isEmpty else { return }
    let content = builder.take()
    if content.mayBeChunked {
      try drain(store: store)
      return try content.forEachPayload { try finish($0, store: store) }
    }
    jobs.append(SealingJob(content, seal, index: Int(blockCount)))
    blockCount += 1
    if jobs.count > Self.jobCapacity { try storeOldest(store: store) }
  }

  /// The content at the beginning of an attempt.
  struct Mark {
    fileprivate let builder: BlockBuilder
    fileprivate let horizon: Horizon?
    fileprivate let blockCount: Int64
    fileprivate let digests: [ContentDigest]
  }

  /// Stores the blocks that are being sealed, and returns the content.
  func mark(store: (Block, Int64) throws -> Void) throws -> Mark {
    try drain(store: store)
    return Mark(builder: builder, horizon: horizon, blockCount: blockCount, digests: digests)
  }

  /// Discards everything since a mark. The blocks stored since are rolled back by the caller.
  func undo(to mark: Mark) {
    jobs.removeAll()
    (builder, horizon) = (mark.builder, mark.horizon)
    (blockCount, digests) = (mark.blockCount, mark.digests)
  }

  /// Waits for all blocks that are being sealed, and stores them.
  func drain(store: (Block, Int64) throws -> Void) throws {
    while !jobs.isEmpty { try storeOldest(store: store) }
  }

  private func storeOldest(store: (Block, Int64) throws -> Void) throws {
    let block = try jobs.removeFirst().wait()
    try store(block, n + Int64(digests.count))
    digests.append(block.digest)
  }

  private func finish(_ payload: [UInt8], store: (Block, Int64) throws -> Void) throws {
    try finish(sealed(payload), store: store)
  }

  /// Returns the next block.
  private func sealed(_ payload: [UInt8]) throws -> Block {
    try Block(sealing: payload, with: seal, index: digests.count)
  }

  private func finish(_ block: Block, store: (Block, Int64) throws -> Void) throws {
    try store(block, n + Int64(digests.count))
    digests.append(block.digest)
    blockCount += 1
  }

  /// Seals the remaining cells. If the commit has a single small block, the block is returned and
  /// not stored.
  func sealRest(
    inlineThreshold: Int,
    store: (Block, Int64) throws -> Void
  ) throws -> Block? {
    if blockCount == 0, !builder.isEmpty {
      let content = builder.take()
      guard !content.mayBeChunked else {
        try content.forEachPayload { try finish($0, store: store) }
        return nil
      }
      let block = try sealed(content.payloads()[0])
      if block.stored.count <= inlineThreshold {
        digests.append(block.digest)
        blockCount = 1
        return block
      }
      try finish(block, store: store)
      return nil
    }
    guard builder.byteCount >= Self.workerThreshold else {
      try drain(store: store)
      guard !builder.isEmpty else { return nil }
      try builder.take().forEachPayload { try finish($0, store: store) }
      return nil
    }
    try sealOpenBlock(store: store)
    try drain(store: store)
    return nil
  }
}

extension BlockContent {
  /// Whether the last cell's value is so large that it may take blocks of its own.
  var mayBeChunked: Bool {
    guard case .cells(let cells)? = sections.last,
      case .value(_, let value, _)? = cells.last?.content
    else { return false }
    return BlockBuilder.isLarge(value)
  }
}
