/// A piece of a commit's payload that can be read, verified and purged by itself.
///
/// The digest covers a random salt and the stored bytes, so that once a purge has destroyed both,
/// nobody can find out by trial what the block said.
package struct Block: Sendable, Hashable {
  /// Sixteen random bytes; none where redactions took cells out (``isRedacted``).
  package let salt: [UInt8]
  /// SHA-256 of the salt and the stored bytes; of a redacted block, of those it had.
  package let digest: ContentDigest
  /// One byte of encoding (0 plain, 1 zstd), then the payload.
  package let stored: [UInt8]
  /// Whether the cells that are missing are to come, instead of being forgotten: see ``Outline``.
  package let isOutline: Bool

  package init(salt: [UInt8], digest: ContentDigest, stored: [UInt8], isOutline: Bool = false) {
    self.salt = salt
    self.digest = digest
    self.stored = stored
    self.isOutline = isOutline
  }

  /// How many bytes a salt has that was not destroyed.
  package static let saltByteCount = 16
  /// A payload this long or longer is compressed, in bytes.
  package static let compressionThreshold = 512
  /// The most a block may hold before compression, in bytes: what a hostile block can cost.
  package static let maximumPayloadByteCount = 8 << 20

  /// Compresses, salts and digests a payload.
  package init(sealing payload: [UInt8]) {
    var random = Randomness()
    var salt = ByteWriter(capacity: 16)
    salt.fixed(random.next())
    salt.fixed(random.next())
    let stored = Self.packed(payload)
    self.init(salt: salt.bytes, digest: .sha256(salt.bytes, stored), stored: stored)
  }

  /// The bytes that are stored of a payload: its encoding, and it.
  static func packed(_ payload: [UInt8]) -> [UInt8] {
    if (Self.compressionThreshold...Self.maximumPayloadByteCount).contains(payload.count),
      let packed = Zstd.compress(payload), packed.count < payload.count
    {
      var writer = ByteWriter(capacity: packed.count + 6)
      writer.byte(1)
      writer.varint(payload.count)
      writer.raw(packed)
      return writer.bytes
    }
    return [0] + payload
  }

  /// Whether salt and content are what was digested. Of a redacted block that cannot be told: who
  /// keeps or sends one adds a checksum.
  package var isIntact: Bool { isRedacted || ContentDigest.sha256(salt, stored) == digest }

  /// The payload, unpacked.
  ///
  /// - Throws: ``VarveError`` with code `damaged`.
  package func payload() throws -> [UInt8] {
    try stored.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      switch try reader.byte() {
      case 0: return Array(try reader.raw(reader.remaining))
      case 1:
        let count = try reader.number()
        guard count <= Self.maximumPayloadByteCount else {
          throw reader.damaged("a block is too large")
        }
        let packed = try reader.raw(reader.remaining)
        guard let payload = Zstd.decompress(packed, count: count) else {
          throw reader.damaged("a block cannot be decompressed")
        }
        return payload
      default:
        throw VarveError(
          .newerFormat,
          "a block has an encoding this build does not know",
          remedy: "Open it with a newer version of Varve."
        )
      }
    }
  }

  /// The bytes of a chunk block.
  package func chunk() throws -> [UInt8] {
    let payload = try payload()
    guard payload.first == BlockContent.chunkTag else {
      throw VarveError(.damaged, "a chunk of a large value is missing")
    }
    return Array(payload.dropFirst())
  }
}
