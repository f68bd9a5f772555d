package import VarveCore

/// The blocks that a membership log purges, with the digests of their replacements.
package struct PurgedBlocks: Sendable {
  /// The digest by which each block is known now.
  private var last: [BlockName: ContentDigest] = [:]
  /// Everything that was ever left of a block.
  private var left: Set<PurgedBlock> = []
  /// The blocks of each digest that is the last of one.
  private var names: [ContentDigest: BlockName] = [:]
  /// The entries that redact, in order.
  private(set) var entries: [MembershipEntry] = []

  package init() {}

  /// Reads the next entry of a log.
  package mutating func add(_ entry: MembershipEntry) {
    guard case .redact(let blocks, _) = entry.operation else { return }
    entries.append(entry)
    left.formUnion(blocks)
    for block in blocks { last[block.name] = block.digest }
  }

  /// Ends reading. Of a block that a joined branch purged too, the log's own entries say what is left.
  package mutating func end(with own: [MembershipEntry]) {
    for entry in own {
      guard case .redact(let blocks, _) = entry.operation else { continue }
      for block in blocks { last[block.name] = block.digest }
    }
    for (name, digest) in last { names[digest] = name }
  }

  /// All blocks as purges left them, in rising order of their names.
  package var all: [PurgedBlock] {
    last.sorted { $0.key < $1.key }.map { PurgedBlock($0.key, digest: $0.value) }
  }

  /// Returns the block that some bytes are left of; nil if a later purge left others, or none did.
  package func block(leftAs digest: ContentDigest) -> PurgedBlock? {
    names[digest].map { PurgedBlock($0, digest: digest) }
  }

  /// Returns whether a purge left some bytes of a block.
  package func isLeft(_ digest: ContentDigest, of block: BlockName) -> Bool {
    left.contains(PurgedBlock(block, digest: digest))
  }

  /// Returns the indices of the blocks of a commit that an entry purges together, for each entry.
  func groups(of commit: CommitID) -> [[Int]] {
    entries.compactMap { entry in
      guard case .redact(let blocks, _) = entry.operation else { return nil }
      let indices = blocks.filter { $0.name.commit == commit }.map(\.name.index)
      return indices.isEmpty ? nil : indices
    }
  }
}
