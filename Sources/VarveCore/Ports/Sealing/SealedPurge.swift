/// A block of a commit.
package struct BlockName: Hashable, Sendable, Comparable {
  package let commit: CommitID
  package let index: Int

  package init(commit: CommitID, index: Int) {
    self.commit = commit
    self.index = index
  }

  /// Orders by commit, then index.
  package static func < (left: BlockName, right: BlockName) -> Bool {
    (left.commit, left.index) < (right.commit, right.index)
  }
}

/// What a purge or a compaction leaves of a block of a sealed space.
package struct PurgedBlock: Hashable, Sendable {
  package let name: BlockName
  /// The SHA-256 of the stored bytes that are left.
  package let digest: ContentDigest

  package init(_ name: BlockName, digest: ContentDigest) {
    self.name = name
    self.digest = digest
  }
}

/// A block that was sealed anew without some of its cells.
package struct ResealedBlock: Sendable {
  package let name: BlockName
  /// The new stored bytes.
  package let stored: [UInt8]
  /// The cells that the block lost; nil for a chunk of a value that it lost.
  package let redaction: Redaction?

  package init(name: BlockName, stored: [UInt8], redaction: Redaction?) {
    self.name = name
    self.stored = stored
    self.redaction = redaction
  }

  /// What the membership log says of the block.
  package var purged: PurgedBlock { PurgedBlock(name, digest: .sha256(stored)) }
}
