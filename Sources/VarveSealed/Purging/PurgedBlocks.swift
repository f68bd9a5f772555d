package import VarveCore

/// What the purges and compactions of a membership log left of blocks.
package struct PurgedBlocks: Sendable {
  /// The last digest of each block.
  private var last: [BlockName: ContentDigest] = [:]
  /// The blocks by all digests that they ever had.
  private var names: [ContentDigest: BlockName] = [:]
  /// The entries that redact, in order.
  private(set) var entries: [MembershipEntry] = []

  package init() {}

  /// Reads the next entry of a log.
  package mutating func add(_ entry: MembershipEntry) {
    guard case .redact(let blocks, _) = entry.operation else { return }
    entries.append(entry)
    for block in blocks {
      last[block.name] = block.digest
      names[block.digest] = block.name
    }
  }

  /// All blocks as the last purge left them, in rising order of their names.
  package var all: [PurgedBlock] {
    last.sorted { $0.key < $1.key }.map { PurgedBlock($0.key, digest: $0.value) }
  }

  /// Returns the block that some bytes are left of; nil if a later purge left others, or none did.
  package func block(leftAs digest: ContentDigest) -> PurgedBlock? {
    guard let name = names[digest], last[name] == digest else { return nil }
    return PurgedBlock(name, digest: digest)
  }

  /// Returns whether a purge left some bytes of a block.
  package func isLeft(_ digest: ContentDigest, of block: BlockName) -> Bool {
    names[digest] == block
  }
}
