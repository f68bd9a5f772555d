import VarveCore

/// A commit's place and summary.
struct CommitInfo: Sendable {
  var n: Int64
  var chainID: Int64
  var summary: CommitSummary
  var order: CommitOrder
  /// The latest time of a cell, according to the header.
  var latest: HybridTime
  /// Whether the commit has a single block, which is mostly in the commit's row.
  var hasOneBlock = false
  /// The seal that opens the commit's blocks; nil if they are not sealed, or this device has no key.
  var seal: (any CommitSeal)?
}

/// Recently read commits by the numbers of their blocks.
struct RecentCommits {
  private var infos: [Int64: CommitInfo] = [:]
  private static let capacity = 4_096

  subscript(b: Int64) -> CommitInfo? { infos[b] }

  var all: some Sequence<(key: Int64, value: CommitInfo)> { infos }

  /// Adds the commit of a block, which is stored with it.
  mutating func add(_ info: CommitInfo, at b: Int64) {
    if infos.count >= Self.capacity { infos.removeAll(keepingCapacity: true) }
    infos[b] = info
  }

  mutating func removeAll() { infos.removeAll() }
}

/// Recently read blocks by number.
struct RecentBlocks {
  private var blocks: [Int64: IndexedBlock] = [:]
  /// The number of cells that were read recently from blocks that are not kept.
  private var skimCounts: [Int64: Int] = [:]
  /// The latest time of its own that a cell of a block has, for more blocks than are kept.
  private(set) var latestOwnTimes: [Int64: HybridTime] = [:]
  /// Cells that were read without their blocks being decoded.
  var cells = RecentCells()
  private static let capacity = 64
  /// The number of cells after which indexing a block pays off: it costs as much as finding two.
  private static let skimLimit = 2
  private static let timeCapacity = 16_384

  subscript(b: Int64) -> IndexedBlock? { blocks[b] }

  mutating func add(_ block: IndexedBlock, _ b: Int64) {
    if blocks.count >= Self.capacity { blocks.removeAll(keepingCapacity: true) }
    blocks[b] = block
  }

  mutating func noteLatestOwnTime(_ time: HybridTime, _ b: Int64) {
    if latestOwnTimes.count >= Self.timeCapacity { latestOwnTimes.removeAll(keepingCapacity: true) }
    latestOwnTimes[b] = time
  }

  /// Removes a block that is now stored in another form.
  mutating func remove(_ b: Int64) {
    blocks[b] = nil
    latestOwnTimes[b] = nil
    skimCounts[b] = nil
    cells.removeAll()
  }

  /// Returns whether a cell is to be found in a block without indexing it: few were read from it
  /// recently, as far as remembered.
  mutating func isSkimmed(at b: Int64) -> Bool {
    guard blocks[b] == nil else { return false }
    let count = skimCounts[b] ?? 0
    guard count < Self.skimLimit else { return false }
    if skimCounts.count >= Self.capacity { skimCounts.removeAll(keepingCapacity: true) }
    skimCounts[b] = count + 1
    return true
  }

  mutating func removeAll() {
    blocks.removeAll()
    latestOwnTimes.removeAll()
    skimCounts.removeAll()
    cells.removeAll()
  }
}
