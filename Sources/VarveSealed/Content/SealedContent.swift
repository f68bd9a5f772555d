import Crypto
import Foundation
import VarveCore

/// The way in which blocks, authors and redactions are sealed: framed, then encrypted under a key of
/// its own that follows from the epoch's key, a sealing salt and the place of the content.
package struct SealedContent: Sendable {
  /// What it is; it cannot be taken for anything else.
  let domain: Domain
  /// Where it is; it cannot be moved.
  let fields: [UInt8]
  /// The name of what is sealed, for errors.
  let name: String
  /// The greatest length of a frame.
  let limit: Int

  static let saltByteCount = 32

  /// Seals a plaintext.
  ///
  /// - Parameter random: the source of the sealing salt.
  /// - Throws: `VarveError` with code `valueTooLarge`.
  func seal(
    _ plaintext: [UInt8],
    under key: EpochKey,
    using random: inout some RandomNumberGenerator
  ) throws -> [UInt8] {
    guard plaintext.count <= limit - PaddedFrame.prefixByteCount else {
      throw VarveError(
        .valueTooLarge,
        "\(name) has \(plaintext.count) bytes, which are too many to be sealed",
        at: name,
        remedy: "Store it in parts of less than \(limit) bytes."
      )
    }
    var frame = PaddedFrame.framed(plaintext)
    defer { frame.withUnsafeMutableBytes(Secret.wipe) }
    let salt = sealingSalt(of: frame, under: key, using: &random)
    let ciphertext = try frame.withUnsafeBytes {
      try AuthenticatedEncryption.seal(
        $0,
        under: contentKey(key, salt),
        authenticating: data(key)
      )
    }
    return salt + ciphertext
  }

  /// Opens what ``seal(_:under:using:)`` made.
  ///
  /// - Throws: `VarveError` with code `damaged`.
  func open(_ bytes: some Collection<UInt8>, under key: EpochKey) throws -> [UInt8] {
    let least =
      Self.saltByteCount + PaddedFrame.prefixByteCount + AuthenticatedEncryption.tagByteCount
    guard bytes.count >= least else { throw damaged("its bytes end too early") }
    guard bytes.count <= byteCountLimit else { throw damaged("it is too large") }
    let salt = Array(bytes.prefix(Self.saltByteCount))
    guard
      let frame = AuthenticatedEncryption.open(
        bytes.dropFirst(Self.saltByteCount),
        under: contentKey(key, salt),
        authenticating: data(key)
      )
    else { throw damaged("it was sealed under another key, for another place, or changed") }
    guard let plaintext = frame.withUnsafeBytes(PaddedFrame.plaintext) else {
      throw damaged("its padding is not that of its length")
    }
    return plaintext
  }

  /// The greatest length of sealed bytes.
  var byteCountLimit: Int { Self.saltByteCount + limit + AuthenticatedEncryption.tagByteCount }

  /// The sealing salt depends on fresh randomness and on the content. So a machine whose generator
  /// repeats itself, because it was cloned, repeats no key with other content.
  private func sealingSalt(
    of frame: [UInt8],
    under key: EpochKey,
    using random: inout some RandomNumberGenerator
  ) -> [UInt8] {
    var writer = ByteWriter()
    for _ in 0..<4 { writer.fixed(random.next()) }
    let info =
      Domain.sealingSalt.bytes + domain.bytes + fields + ContentDigest.sha256(frame).bytes
    let salt = KeyDerivation.key(from: key.secret, salt: writer.bytes, info: info)
    return salt.withUnsafeBytes { Array($0) }
  }

  private func contentKey(_ key: EpochKey, _ salt: [UInt8]) -> SymmetricKey {
    KeyDerivation.key(from: key.secret, salt: salt, info: domain.bytes + fields)
  }

  private func data(_ key: EpochKey) -> [UInt8] {
    var writer = ByteWriter()
    writer.raw(domain.bytes)
    writer.raw(fields)
    writer.number64(key.number)
    return writer.bytes
  }

  private func damaged(_ why: String) -> VarveError { StrictReading.damaged(name, why) }
}
