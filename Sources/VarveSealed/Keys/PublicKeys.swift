import Crypto
import Foundation
import VarveCore

/// What everybody may know of a device, or of the recovery key: the key that verifies its signatures,
/// and the key to which secrets are sealed.
package struct PublicKeys: Hashable, Sendable {
  /// The Ed25519 key, 32 bytes.
  package let signing: [UInt8]
  /// The X25519 key, 32 bytes.
  package let agreement: [UInt8]

  package static let byteCount = 64

  /// - Throws: `VarveError` with code `damaged` for keys that protect nothing.
  package init(signing: [UInt8], agreement: [UInt8]) throws {
    self.signing = signing
    self.agreement = agreement
    try verify()
  }

  init(_ reader: inout ByteReader) throws {
    try self.init(signing: reader.bytes(32), agreement: reader.bytes(32))
  }

  package var bytes: [UInt8] { signing + agreement }

  package var id: DeviceID { DeviceID(digest: .sha256(Domain.device.bytes, bytes)) }

  /// Returns whether a signature of a message that begins with a domain is by these keys.
  package func verifies(_ signature: [UInt8], of domain: Domain, _ message: [UInt8]) -> Bool {
    guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: signing) else {
      return false
    }
    return key.isValidSignature(signature, for: domain.bytes + message)
  }

  private func verify() throws {
    guard signing.count == 32, agreement.count == 32 else { throw Self.invalid("a key is short") }
    guard !Self.hasSmallOrder(signing) else {
      throw Self.invalid("one signature by the key would fit many messages")
    }
    let probe = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: Self.probe)
    let key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: agreement)
    guard let shared = try? probe.sharedSecretFromKeyAgreement(with: key),
      shared.withUnsafeBytes({ $0.contains { $0 != 0 } })
    else { throw Self.invalid("agreement with the key gives zero") }
  }

  private static func invalid(_ why: String) -> VarveError {
    StrictReading.damaged("a public key", why)
  }

  /// Any private key: whether an agreement gives zero depends on the public key alone.
  private static let probe = [UInt8](repeating: 1, count: 32)

  private static func hasSmallOrder(_ key: [UInt8]) -> Bool {
    var key = key
    key[31] &= 0x7F
    return smallOrderKeys.contains(key)
  }

  /// The encodings of the points whose order divides eight, without the sign.
  private static let smallOrderKeys: Set<[UInt8]> = {
    let zeros = [UInt8](repeating: 0, count: 31)
    let ones = [UInt8](repeating: 0xFF, count: 30) + [0x7F]
    let ordersOfEight = [
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ]
    return Set([[0] + zeros, [1] + zeros, [0xEC] + ones, [0xED] + ones, [0xEE] + ones])
      .union(ordersOfEight.compactMap { ContentDigest(hexadecimal: $0)?.bytes })
  }()
}
