package import VarveCore

/// Writes commits as a sequence of records, the content of data frames and of segments.
///
/// See `Documentation/Protocol.md`, "The stream of commits".
package struct CommitStreamWriter: Sendable {
  enum Tag: UInt8 {
    /// The header of a commit, as hashed.
    case header = 1
    /// A block of the current commit: salt, stored bytes.
    case block = 2
    /// A redacted block: its original digest, and the bytes stored now.
    case redactedBlock = 3
    /// A small commit without what the reader can compute; see ``PackedCommits``.
    case packedCommit = 4
    /// A block with some cells still awaited: its digest, and the bytes present now.
    case outlineBlock = 5
  }

  private var writer = ByteWriter()
  /// What packing needs to know of the stream; nil if small commits are not packed.
  private var packing: PackedCommits?

  /// - Parameter packs: whether small commits are packed, which the reader must have offered to read.
  package init(packs: Bool = false) { packing = packs ? PackedCommits() : nil }

  /// The number of bytes written and not taken yet.
  package var count: Int { writer.count }

  /// Writes a commit with the blocks it has.
  package mutating func add(_ commit: Commit) {
    if let packed = packing?.pack(commit) {
      writer.byte(Tag.packedCommit.rawValue)
      writer.counted(packed)
      return
    }
    packing?.note(commit.id)
    writer.byte(Tag.header.rawValue)
    writer.counted(commit.headerBytes)
    for block in commit.blocks { add(block) }
  }

  /// Writes the next block of the last commit written.
  package mutating func add(_ block: Block) {
    let tag: Tag = block.isOutline ? .outlineBlock : block.isRedacted ? .redactedBlock : .block
    writer.byte(tag.rawValue)
    if block.isRedacted { writer.digest(block.digest) } else { writer.raw(block.salt) }
    writer.counted(block.stored)
  }

  /// Returns the bytes written, and removes them from the writer. What follows continues their stream.
  package mutating func take() -> [UInt8] {
    defer { writer = ByteWriter() }
    return writer.bytes
  }
}
