import Crypto

/// A SHA-256 digest (FIPS 180-4): 32 bytes.
public struct ContentDigest: Hashable, Sendable {
  package let words: (UInt64, UInt64, UInt64, UInt64)

  /// The number of bytes of a digest.
  package static let byteCount = 32

  package init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

  /// Thirty-two zero bytes, which the first commit of a replica names as its predecessor.
  public static let zero = ContentDigest(words: (0, 0, 0, 0))

  /// Returns the digest of any number of byte sequences, concatenated.
  package static func sha256(_ parts: [UInt8]...) -> ContentDigest {
    var hasher = SHA256()
    for part in parts { part.withUnsafeBytes { hasher.update(bufferPointer: $0) } }
    return ContentDigest(hasher.finalize())
  }

  /// Returns the digest of one byte sequence, without an array of its parts.
  package static func sha256(_ bytes: [UInt8]) -> ContentDigest {
    var hasher = SHA256()
    bytes.withUnsafeBytes { hasher.update(bufferPointer: $0) }
    return ContentDigest(hasher.finalize())
  }

  /// Returns the digest of two byte sequences, concatenated, without an array of them.
  package static func sha256(_ first: [UInt8], _ second: [UInt8]) -> ContentDigest {
    var hasher = SHA256()
    first.withUnsafeBytes { hasher.update(bufferPointer: $0) }
    second.withUnsafeBytes { hasher.update(bufferPointer: $0) }
    return ContentDigest(hasher.finalize())
  }

  /// Returns the digest of the bytes of digests, concatenated.
  package static func sha256(_ digests: [ContentDigest]) -> ContentDigest {
    var hasher = SHA256()
    for digest in digests {
      let (first, second, third, fourth) = digest.words
      let bytes = (first.bigEndian, second.bigEndian, third.bigEndian, fourth.bigEndian)
      withUnsafeBytes(of: bytes) { hasher.update(bufferPointer: $0) }
    }
    return ContentDigest(hasher.finalize())
  }

  fileprivate init(_ digest: SHA256.Digest) {
    self = digest.withUnsafeBytes { ContentDigest(bigEndianBytes: $0) }
  }

  /// Creates a digest from its 32 bytes.
  package init(bigEndianBytes bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count == 32, "a digest has 32 bytes")
    func word(_ index: Int) -> UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
    self.init(words: (word(0), word(1), word(2), word(3)))
  }

  /// Creates a digest from its 32 bytes; nil if there are not 32.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self = bytes.withUnsafeBytes { ContentDigest(bigEndianBytes: $0) }
  }

  /// The 32 bytes.
  package var bytes: [UInt8] {
    var writer = ByteWriter(capacity: 32)
    writer.digest(self)
    return writer.bytes
  }

  /// The digest as 64 hexadecimal digits.
  public var hexadecimal: String { String(hexadecimal: bytes) }

  /// Creates a digest from 64 hexadecimal digits; nil if the text is anything else.
  public init?(hexadecimal text: String) {
    let digits = text.utf8.compactMap { UInt8(hexadecimalDigit: $0) }
    guard digits.count == 64, text.utf8.count == 64 else { return nil }
    self.init(stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  /// Returns whether all 32 bytes are equal.
  public static func == (left: ContentDigest, right: ContentDigest) -> Bool {
    left.words == right.words
  }

  /// Hashes the first eight bytes, which are already uniform.
  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// A SHA-256 digest of bytes that arrive in pieces.
package struct DigestStream: Sendable {
  private var hasher = SHA256()

  package init() {}

  /// Appends the next bytes.
  package mutating func add(_ bytes: some Collection<UInt8>) {
    let isDone: Void? = bytes.withContiguousStorageIfAvailable {
      hasher.update(bufferPointer: UnsafeRawBufferPointer($0))
    }
    if isDone == nil { hasher.update(data: Array(bytes)) }
  }

  /// The digest of all bytes so far.
  package var digest: ContentDigest { ContentDigest(hasher.finalize()) }
}

extension ContentDigest: Comparable {
  /// Orders by bytes.
  public static func < (left: ContentDigest, right: ContentDigest) -> Bool {
    left.words < right.words
  }
}

extension ContentDigest: CustomStringConvertible {
  /// The first twelve hexadecimal digits.
  public var description: String { String(hexadecimal.prefix(12)) }
}

extension UInt8 {
  /// Creates the value of a hexadecimal digit; nil for any other byte.
  fileprivate init?(hexadecimalDigit digit: UInt8) {
    switch Unicode.Scalar(digit) {
    case "0"..."9": self = digit - 0x30
    case "a"..."f": self = digit - 0x61 + 10
    case "A"..."F": self = digit - 0x41 + 10
    default: return nil
    }
  }
}
