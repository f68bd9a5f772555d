package import VarveCore

/// The author and the message of a commit, which only members read.
package struct SealedAuthor: Hashable, Sendable {
  package let author: String
  package let message: String

  package init(author: String, message: String) {
    self.author = author
    self.message = message
  }

  /// Returns the sealed bytes.
  ///
  /// - Parameter sequence: the number of the commit.
  package func sealed(
    space: SpaceID,
    replica: ReplicaID,
    sequence: Int64,
    under key: EpochKey,
    using random: inout some RandomNumberGenerator
  ) throws -> [UInt8] {
    var writer = ByteWriter()
    writer.text(author)
    writer.text(message)
    return try Self.content(space, replica, sequence)
      .seal(writer.bytes, under: key, using: &random)
  }

  /// Opens the sealed bytes.
  ///
  /// - Throws: `VarveError` with code `damaged`.
  package init(
    opening bytes: [UInt8],
    space: SpaceID,
    replica: ReplicaID,
    sequence: Int64,
    under key: EpochKey
  ) throws {
    let content = Self.content(space, replica, sequence)
    let opened = try content.open(bytes, under: key)
    self = try StrictReading.read(opened, content.name) { reader in
      SealedAuthor(author: try reader.text(), message: try reader.text())
    }
  }

  private static func content(
    _ space: SpaceID,
    _ replica: ReplicaID,
    _ sequence: Int64
  ) -> SealedContent {
    var writer = ByteWriter()
    writer.space(space)
    writer.replica(replica)
    writer.number64(sequence)
    return SealedContent(
      domain: .sealedHeader,
      fields: writer.bytes,
      name: "the author of commit \(sequence) of replica \(replica)",
      limit: SealedLimits.authorByteCount
    )
  }
}
