/// A piece of a commit's payload that can be read, verified and purged by itself.
///
/// The digest covers a random salt and the stored bytes, so that once a purge has destroyed both,
/// nobody can find out by trial what the block said.
package struct Block: Sendable, Hashable {
  /// Sixteen random bytes.
  package let salt: [UInt8]
  /// SHA-256 of the salt and the stored bytes.
  package let digest: Digest
  /// One byte of encoding (0 plain, 1 zstd), then the payload.
  package let stored: [UInt8]

  package init(salt: [UInt8], digest: Digest, stored: [UInt8]) {
    self.salt = salt
    self.digest = digest
    self.stored = stored
  }

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
    var stored = [UInt8](repeating: 0, count: 1)
    if (Self.compressionThreshold...Self.maximumPayloadByteCount).contains(payload.count),
      let packed = Zstd.compress(payload), packed.count < payload.count
    {
      var writer = ByteWriter(capacity: packed.count + 6)
      writer.byte(1)
      writer.varint(payload.count)
      writer.raw(packed)
      stored = writer.bytes
    } else {
      stored.append(contentsOf: payload)
    }
    self.init(salt: salt.bytes, digest: .sha256(salt.bytes, stored), stored: stored)
  }

  /// Whether salt and content are what was digested.
  package var isIntact: Bool { Digest.sha256(salt, stored) == digest }

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
