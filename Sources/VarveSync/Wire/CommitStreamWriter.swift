package import VarveCore

/// Writes commits as records, one after another: what frames of data and files of a folder carry.
///
/// See `Documentation/Protocol.md`, "The stream of commits".
package struct CommitStreamWriter: Sendable {
  enum Tag: UInt8 {
    /// The header of a commit, as hashed.
    case header = 1
    /// A block of the commit before: salt, stored bytes.
    case block = 2
    /// What redactions left of a block: the digest it had, and what is stored now.
    case redactedBlock = 3
    /// A block of which cells are missing that are to come: the digest it has, and what it says now.
    case outlineBlock = 5
  }

  private var writer = ByteWriter()

  package init() {}

  /// How many bytes were written and not taken yet.
  package var count: Int { writer.count }

  /// Writes a commit with the blocks it has.
  package mutating func add(_ commit: Commit) {
    writer.byte(Tag.header.rawValue)
    writer.counted(commit.headerBytes)
    for block in commit.blocks { add(block) }
  }

  /// Writes the next block of the commit written last.
  package mutating func add(_ block: Block) {
    let tag: Tag = block.isOutline ? .outlineBlock : block.isRedacted ? .redactedBlock : .block
    writer.byte(tag.rawValue)
    if block.isRedacted { writer.digest(block.digest) } else { writer.raw(block.salt) }
    writer.counted(block.stored)
  }

  /// Hands over what was written.
  package mutating func take() -> [UInt8] {
    defer { writer = ByteWriter() }
    return writer.bytes
  }
}
