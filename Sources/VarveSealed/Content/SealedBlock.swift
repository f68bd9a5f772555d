package import VarveCore

/// The stored bytes of a block whose content only members read.
package enum SealedBlock {
  /// The encoding byte of sealed stored bytes.
  package static let encoding: UInt8 = 2

  /// The place of a block, to which its content is bound.
  package struct Place: Hashable, Sendable {
    package let space: SpaceID
    package let replica: ReplicaID
    /// The number of the commit.
    package let sequence: Int64
    /// The index of the block in its commit.
    package let index: Int

    package init(space: SpaceID, replica: ReplicaID, sequence: Int64, index: Int) {
      self.space = space
      self.replica = replica
      self.sequence = sequence
      self.index = index
    }

    fileprivate var content: SealedContent {
      var writer = ByteWriter()
      writer.space(space)
      writer.replica(replica)
      writer.number64(sequence)
      writer.number64(Int64(index))
      return SealedContent(
        domain: .sealedBlock,
        fields: writer.bytes,
        name: "block \(index) of commit \(sequence) of replica \(replica)",
        limit: SealedLimits.blockByteCount
      )
    }
  }

  /// Returns the stored bytes of a sealed block.
  ///
  /// - Parameter stored: what would be stored otherwise: an encoding byte, 0 or 1, and the payload.
  /// - Throws: `VarveError` with code `valueTooLarge`.
  package static func seal(
    _ stored: [UInt8],
    at place: Place,
    under key: EpochKey,
    using random: inout some RandomNumberGenerator
  ) throws -> [UInt8] {
    [encoding] + (try place.content.seal(stored, under: key, using: &random))
  }

  /// Returns what would be stored if the block were not sealed.
  ///
  /// - Throws: `VarveError` with code `damaged` or `newerFormat`.
  package static func open(
    _ stored: [UInt8],
    at place: Place,
    under key: EpochKey
  ) throws -> [UInt8] {
    guard stored.first == encoding else {
      throw StrictReading.damaged(place.content.name, "it is not sealed")
    }
    let opened = try place.content.open(stored.dropFirst(), under: key)
    guard let inner = opened.first else {
      throw StrictReading.damaged(place.content.name, "it is empty")
    }
    guard inner != encoding else {
      throw StrictReading.damaged(place.content.name, "it is sealed twice")
    }
    return opened
  }
}
