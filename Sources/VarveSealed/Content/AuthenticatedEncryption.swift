import Crypto
import Foundation
import VarveCore

/// AES-256-GCM with a nonce of zeros: every key encrypts one plaintext only.
enum AuthenticatedEncryption {
  static let tagByteCount = 16

  /// Returns ciphertext and tag.
  static func seal(
    _ plaintext: UnsafeRawBufferPointer,
    under key: SymmetricKey,
    authenticating data: [UInt8]
  ) throws -> [UInt8] {
    let box = try AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: data)
    return Array(box.ciphertext) + Array(box.tag)
  }

  /// Returns the plaintext; nil if key, data or bytes are others.
  static func open(
    _ bytes: some Collection<UInt8>,
    under key: SymmetricKey,
    authenticating data: [UInt8]
  ) -> Secret? {
    guard bytes.count >= tagByteCount,
      let nonce = try? nonce,
      let box = try? AES.GCM.SealedBox(
        nonce: nonce,
        ciphertext: Data(bytes.dropLast(tagByteCount)),
        tag: Data(bytes.suffix(tagByteCount))
      ), var plaintext = try? AES.GCM.open(box, using: key, authenticating: data)
    else { return nil }
    defer { plaintext.withUnsafeMutableBytes(Secret.wipe) }
    return Secret(count: plaintext.count) { $0.copyBytes(from: plaintext) }
  }

  private static var nonce: AES.GCM.Nonce {
    get throws { try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12)) }
  }
}
