import Crypto
import Foundation
import VarveCore

/// The private keys of a device, or of the recovery key.
///
/// Nothing of them is in descriptions and dumps; the library wipes them at the end of their life.
package struct Signer: Sendable {
  let signing: Curve25519.Signing.PrivateKey
  let agreement: Curve25519.KeyAgreement.PrivateKey
  package let publicKeys: PublicKeys

  init(
    signing: Curve25519.Signing.PrivateKey,
    agreement: Curve25519.KeyAgreement.PrivateKey
  ) throws {
    self.signing = signing
    self.agreement = agreement
    publicKeys = try PublicKeys(
      signing: Array(signing.publicKey.rawRepresentation),
      agreement: Array(agreement.publicKey.rawRepresentation)
    )
  }

  package var id: DeviceID { publicKeys.id }

  /// Returns the signature, 64 bytes, of a message that begins with a domain.
  package func sign(_ domain: Domain, _ message: [UInt8]) throws -> [UInt8] {
    Array(try signing.signature(for: domain.bytes + message))
  }
}

extension Signer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The id, which is public.
  package var description: String { "keys of \(id)" }

  /// The id, which is public.
  package var debugDescription: String { description }

  /// Nothing of the keys.
  package var customMirror: Mirror { Mirror(self, children: ["id": id], displayStyle: .struct) }
}
