import Crypto
import Foundation
package import VarveCore

/// The key of an epoch, sealed to one device by HPKE (RFC 9180).
package struct SealedEpochKey: Hashable, Sendable {
  /// The encapsulated key, 32 bytes, and the ciphertext, 48 bytes.
  package let bytes: [UInt8]

  package static let byteCount = 80
  private static let encapsulatedByteCount = 32

  init(_ reader: inout ByteReader) throws { bytes = try reader.bytes(Self.byteCount) }

  /// Seals a key to the public keys of a device.
  package init(sealing key: EpochKey, to recipient: PublicKeys) throws {
    let info = Self.info(space: key.space, number: key.number, recipient: recipient.id)
    var sender = try HPKE.Sender(
      recipientKey: Curve25519.KeyAgreement.PublicKey(rawRepresentation: recipient.agreement),
      ciphersuite: Self.suite,
      info: Data(info)
    )
    let ciphertext = try key.secret.withUnsafeBytes { try sender.seal($0) }
    bytes = Array(sender.encapsulatedKey) + Array(ciphertext)
  }

  /// Opens the key.
  ///
  /// - Throws: `VarveError` with code `damaged` if it was sealed to another device, or for another
  ///   space or epoch, or if it is another key than the membership log commits to.
  package func opened(
    by device: Signer,
    space: SpaceID,
    number: Int64,
    commitment: ContentDigest
  ) throws -> EpochKey {
    let info = Self.info(space: space, number: number, recipient: device.id)
    guard
      var recipient = try? HPKE.Recipient(
        privateKey: device.agreement,
        ciphersuite: Self.suite,
        info: Data(info),
        encapsulatedKey: Data(bytes.prefix(Self.encapsulatedByteCount))
      ), var opened = try? recipient.open(Data(bytes.dropFirst(Self.encapsulatedByteCount)))
    else {
      throw StrictReading.damaged(
        "the key of epoch \(number)",
        "it was not sealed to this device for this space and epoch"
      )
    }
    defer { opened.withUnsafeMutableBytes(Secret.wipe) }
    return try EpochKey(
      Secret(copying: opened),
      space: space,
      number: number,
      commitment: commitment
    )
  }

  private static let suite = HPKE.Ciphersuite(
    kem: .Curve25519_HKDF_SHA256,
    kdf: .HKDF_SHA256,
    aead: .AES_GCM_256
  )

  private static func info(space: SpaceID, number: Int64, recipient: DeviceID) -> [UInt8] {
    var writer = ByteWriter()
    writer.raw(Domain.epochKey.bytes)
    writer.space(space)
    writer.number64(number)
    writer.digest(recipient.digest)
    return writer.bytes
  }
}
