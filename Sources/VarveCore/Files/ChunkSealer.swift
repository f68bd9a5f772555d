import Crypto

/// Encrypts the chunks of a temporary file with a key that is nowhere but in this object, so that the
/// file is of no use to whoever finds it.
package struct ChunkSealer: Sendable {
  private let key = SymmetricKey(size: .bits256)
  private var sealedCount: UInt64 = 0
  private var openedCount: UInt64 = 0

  package init() {}

  /// The number of bytes that a sealed chunk has more.
  package static let overhead = 16

  /// Encrypts the next chunk.
  package mutating func seal(_ bytes: [UInt8]) throws -> [UInt8] {
    let box = try ChaChaPoly.seal(bytes, using: key, nonce: Self.nonce(sealedCount))
    sealedCount += 1
    return Array(box.ciphertext) + Array(box.tag)
  }

  /// Decrypts the next chunk, in the order in which they were sealed.
  ///
  /// - Throws: an error if it is not what was sealed.
  package mutating func open(_ bytes: [UInt8]) throws -> [UInt8] {
    let tag = bytes.suffix(Self.overhead)
    let nonce = try Self.nonce(openedCount)
    let box = try ChaChaPoly.SealedBox(
      nonce: nonce,
      ciphertext: bytes.dropLast(Self.overhead),
      tag: tag
    )
    openedCount += 1
    return Array(try ChaChaPoly.open(box, using: key))
  }

  /// Begins to open at the first chunk.
  package mutating func rewind() { openedCount = 0 }

  /// The number of a chunk: no two chunks have one nonce.
  private static func nonce(_ number: UInt64) throws -> ChaChaPoly.Nonce {
    let words = [UInt8](repeating: 0, count: 4) + withUnsafeBytes(of: number.bigEndian, Array.init)
    return try ChaChaPoly.Nonce(data: words)
  }
}
