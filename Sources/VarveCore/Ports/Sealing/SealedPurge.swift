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

/// An admin's proof that a block of a sealed space was encrypted anew, without the cells that a purge
/// destroys.
package struct SealedPurge: Hashable, Sendable {
  package let block: BlockName
  /// The digest that the block's commit covers.
  package let oldDigest: ContentDigest
  /// The hash of the new stored bytes.
  package let newDigest: ContentDigest
  /// The proof as it is stored and sent.
  package let encoded: [UInt8]

  package init(
    block: BlockName,
    oldDigest: ContentDigest,
    newDigest: ContentDigest,
    encoded: [UInt8]
  ) {
    self.block = block
    self.oldDigest = oldDigest
    self.newDigest = newDigest
    self.encoded = encoded
  }
}

/// A block as it is without the cells that a purge destroys.
package struct ResealedBlock: Sendable {
  package let name: BlockName
  /// The digest that the block's commit covers.
  package let digest: ContentDigest
  /// The new stored bytes, which are sealed.
  package let stored: [UInt8]

  package init(name: BlockName, digest: ContentDigest, stored: [UInt8]) {
    self.name = name
    self.digest = digest
    self.stored = stored
  }
}
