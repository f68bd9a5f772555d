import Crypto
import Foundation
package import VarveCore

/// The key of an earlier epoch, sealed under that of a later one, so that whoever has the later key
/// reads what was written before.
package struct EarlierEpoch: Hashable, Sendable {
  /// The commitment of the earlier key.
  package let commitment: ContentDigest
  /// Ciphertext and tag, 48 bytes.
  package let sealedKey: [UInt8]

  static let byteCount = 80

  init(_ reader: inout ByteReader) throws {
    commitment = try reader.digest()
    sealedKey = try reader.bytes(48)
  }

  /// Seals the key of an earlier epoch.
  package init(sealing earlier: EpochKey, under key: EpochKey) throws {
    commitment = earlier.commitment
    let data = Self.data(key, earlier.commitment)
    let wrapping = KeyDerivation.key(from: key.secret, info: data)
    sealedKey = try earlier.secret.withUnsafeBytes {
      try AuthenticatedEncryption.seal($0, under: wrapping, authenticating: data)
    }
  }

  /// Opens the key of the earlier epoch.
  ///
  /// - Parameter number: the number of the earlier epoch.
  /// - Throws: `VarveError` with code `damaged`.
  package func opened(under key: EpochKey, number: Int64) throws -> EpochKey {
    let data = Self.data(key, commitment)
    let wrapping = KeyDerivation.key(from: key.secret, info: data)
    guard
      let secret = AuthenticatedEncryption.open(sealedKey, under: wrapping, authenticating: data)
    else {
      throw StrictReading.damaged(
        "the key of epoch \(number)",
        "it was not sealed by its successor"
      )
    }
    return try EpochKey(secret, space: key.space, number: number, commitment: commitment)
  }

  private static func data(_ key: EpochKey, _ commitment: ContentDigest) -> [UInt8] {
    var writer = ByteWriter()
    writer.raw(Domain.earlierEpoch.bytes)
    writer.space(key.space)
    writer.number64(key.number)
    writer.digest(commitment)
    return writer.bytes
  }
}
