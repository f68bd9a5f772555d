import Crypto
import Foundation
import VarveCore

/// HKDF with SHA-256 (RFC 5869), 32 bytes of output.
enum KeyDerivation {
  static func key(from secret: Secret, salt: [UInt8] = [], info: [UInt8]) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: secret.withUnsafeBytes { SymmetricKey(data: $0) },
      salt: salt,
      info: info,
      outputByteCount: 32
    )
  }
}
