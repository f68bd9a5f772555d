import VarveCore

/// The commit a transaction is writing.
final class PendingCommit {
  /// Its number, which is that of its first block.
  let n: Int64
  let request: WriteRequest
  /// What it will be called; the hash is not known yet.
  let info: CommitInfo
  var builder = BlockBuilder()
  /// How far the commit folds history.
  var horizon: Horizon?
  /// How many blocks were handed to the pipeline.
  private(set) var blockCount: Int64 = 0
  private(set) var digests: [ContentDigest] = []
  private var jobs: [SealingJob] = []
  /// The first block while it is the only one: it may fit in the commit's row.
  private(set) var onlyBlock: Block?

  /// Blocks being sealed at once; more would only take memory.
  private static let jobCapacity = 4
  /// A last block smaller than this, in bytes, is sealed where it is: handing it over costs more.
  private static let workerThreshold = 32 << 10

  init(
    n: Int64,
    lineage: Int64,
    replica: ReplicaID,
    sequence: Int64,
    time: HybridTime,
    request: WriteRequest
  ) {
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
      lineage: lineage,
      summary: CommitSummary(header, id: id),
      order: CommitOrder(stamp: header.stamp, hash: .zero)
    )
  }

  /// The number of the block that cells go into now.
  var openBlock: Int64 { n + blockCount }

  var isEmpty: Bool { builder.isEmpty && blockCount == 0 }

  /// Hands the open block over to be sealed, and stores those that are done.
  func sealOpenBlock(store: (Block, Int64) throws -> Void) throws {
    guard !builder.isEmpty else { return }
    let content = builder.take()
    if content.mayBeChunked {
      try drain(store: store)
      return try content.forEachPayload { try finish(Block(sealing: $0), store: store) }
    }
    jobs.append(SealingJob(content))
    blockCount += 1
    if jobs.count > Self.jobCapacity { try storeOldest(store: store) }
  }

  /// Waits for all blocks handed over and stores them.
  func drain(store: (Block, Int64) throws -> Void) throws {
    while !jobs.isEmpty { try storeOldest(store: store) }
  }

  private func storeOldest(store: (Block, Int64) throws -> Void) throws {
    let block = jobs.removeFirst().wait()
    try store(block, n + Int64(digests.count))
    digests.append(block.digest)
  }

  private func finish(_ block: Block, store: (Block, Int64) throws -> Void) throws {
    try store(block, n + Int64(digests.count))
    digests.append(block.digest)
    blockCount += 1
  }

  /// Seals what is left. The block of a commit that has but a small one is answered, not stored.
  func sealRest(
    inlineThreshold: Int,
    store: (Block, Int64) throws -> Void
  ) throws -> Block? {
    if blockCount == 0, !builder.isEmpty {
      let content = builder.take()
      guard !content.mayBeChunked else {
        try content.forEachPayload { try finish(Block(sealing: $0), store: store) }
        return nil
      }
      let block = Block(sealing: content.payloads()[0])
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
      try builder.take().forEachPayload { try finish(Block(sealing: $0), store: store) }
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
