import Crypto

/// A SHA-256 digest (FIPS 180-4): 32 bytes.
public struct Digest: Hashable, Sendable {
  package let words: (UInt64, UInt64, UInt64, UInt64)

  package init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

  /// Thirty-two zero bytes: what the first commit of a replica names as its predecessor.
  public static let zero = Digest(words: (0, 0, 0, 0))

  /// The digest of several byte sequences, one after another.
  package static func sha256(_ parts: [UInt8]...) -> Digest {
    var hasher = SHA256()
    for part in parts { part.withUnsafeBytes { hasher.update(bufferPointer: $0) } }
    return Digest(hasher.finalize())
  }

  private init(_ digest: SHA256.Digest) {
    self = digest.withUnsafeBytes { Digest(bigEndianBytes: $0) }
  }

  /// The digest in 32 bytes.
  package init(bigEndianBytes bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count == 32, "a digest has 32 bytes")
    func word(_ index: Int) -> UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
    self.init(words: (word(0), word(1), word(2), word(3)))
  }

  /// The digest in 32 bytes, or nil where there are not 32.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self = bytes.withUnsafeBytes { Digest(bigEndianBytes: $0) }
  }

  /// The 32 bytes.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.digest(self)
    return writer.bytes
  }

  /// The digest as 64 hexadecimal digits.
  public var hexadecimal: String {
    bytes.map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }.joined()
  }

  /// Equality of all 32 bytes.
  public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

  /// Hashes the first eight bytes, which are already uniform.
  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension Digest: Comparable {
  /// Order of the bytes.
  public static func < (left: Digest, right: Digest) -> Bool { left.words < right.words }
}

extension Digest: CustomStringConvertible {
  /// The first twelve hexadecimal digits.
  public var description: String { String(hexadecimal.prefix(12)) }
}
