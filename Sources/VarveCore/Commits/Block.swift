/// A piece of a commit's payload that can be read, verified and purged by itself.
///
/// The digest covers a random salt and the stored bytes. After a purge has destroyed both, the
/// content cannot be recovered by trying candidates against the digest.
package struct Block: Sendable, Hashable {
  /// Sixteen random bytes; empty if a redaction removed cells (``isRedacted``).
  package let salt: [UInt8]
  /// The SHA-256 digest of the salt and the stored bytes. A redacted block keeps the digest of its
  /// original bytes.
  package let digest: ContentDigest
  /// One byte of encoding (0 plain, 1 zstd), followed by the payload.
  package let stored: [UInt8]
  /// Whether the missing cells are still to be received, and not redacted: see ``Outline``.
  package let isOutline: Bool

  package init(salt: [UInt8], digest: ContentDigest, stored: [UInt8], isOutline: Bool = false) {
    self.salt = salt
    self.digest = digest
    self.stored = stored
    self.isOutline = isOutline
  }

  /// The number of bytes in a salt that was not destroyed.
  package static let saltByteCount = 16
  /// The minimum size of a payload that is compressed, in bytes.
  package static let compressionThreshold = 512
  /// The maximum size of a payload before compression, in bytes. It limits the cost of a hostile
  /// block.
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

  /// The first stored byte of a block that is sealed.
  package static let sealedEncoding: UInt8 = 2

  /// Compresses, seals, salts and digests a payload.
  ///
  /// - Parameters:
  ///   - seal: the seal of the commit; nil in an open space.
  ///   - index: the index of the block in the commit.
  package init(sealing payload: [UInt8], with seal: (any CommitSeal)?, index: Int) throws {
    guard let seal else {
      self.init(sealing: payload)
      return
    }
    var random = Randomness()
    var salt = ByteWriter(capacity: 16)
    salt.fixed(random.next())
    salt.fixed(random.next())
    let stored = try seal.sealed(Self.packed(payload), index: index)
    self.init(salt: salt.bytes, digest: .sha256(salt.bytes, stored), stored: stored)
  }

  /// Returns the block with its stored bytes as they were before it was sealed; itself if it is not
  /// sealed.
  package func opened(by seal: (any CommitSeal)?, index: Int) throws -> Block {
    guard stored.first == Self.sealedEncoding, let seal else { return self }
    return Block(salt: salt, digest: digest, stored: try seal.opened(stored, index: index))
  }

  /// Returns the stored form of a payload: its encoding, then its bytes.
  package static func packed(_ payload: [UInt8]) -> [UInt8] {
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

  /// Whether the salt and content match the digest. A redacted block always counts as intact: it is
  /// protected by a checksum where it is stored or sent.
  package var isIntact: Bool { isRedacted || ContentDigest.sha256(salt, stored) == digest }

  /// Returns the uncompressed payload.
  ///
  /// - Throws: ``VarveError`` with code `damaged`.
  package func payload() throws -> [UInt8] { try stored.withUnsafeBytes(Self.payload(of:)) }

  /// Returns the uncompressed payload of stored bytes.
  ///
  /// - Throws: ``VarveError`` with code `damaged`.
  package static func payload(of stored: UnsafeRawBufferPointer) throws -> [UInt8] {
    var reader = ByteReader(stored)
    switch try reader.byte() {
    case 0: return Array(try reader.raw(reader.remaining))
    case 1:
      let count = try reader.number()
      guard count <= maximumPayloadByteCount else { throw reader.damaged("a block is too large") }
      let packed = try reader.raw(reader.remaining)
      guard let payload = Zstd.decompress(packed, count: count) else {
        throw reader.damaged("a block cannot be decompressed")
      }
      return payload
    case sealedEncoding:
      throw VarveError(
        .unsupported,
        "a block is sealed, and this device has no key of it",
        remedy: "Let an admin of the space add this device, and synchronise."
      )
    default:
      throw VarveError(
        .newerFormat,
        "a block has an encoding this build does not know",
        remedy: "Open it with a newer version of Varve."
      )
    }
  }

  /// Returns the bytes of a chunk block.
  package func chunk() throws -> [UInt8] {
    let payload = try payload()
    guard payload.first == BlockContent.chunkTag else {
      throw VarveError(.damaged, "a chunk of a large value is missing")
    }
    return Array(payload.dropFirst())
  }
}
