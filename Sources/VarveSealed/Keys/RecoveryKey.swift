import Crypto
import Foundation
import VarveCore

/// The key of a space that is printed once. It reads every epoch, outranks admins, and alone joins a
/// fork of the membership.
package struct RecoveryKey: Sendable {
  private let seed: Secret
  /// The keys with which it acts.
  package let signer: Signer

  private static let byteCount = 32

  /// Creates a new key.
  package init() throws {
    try self.init(seed: SymmetricKey(size: .bits256).withUnsafeBytes { Secret(copying: $0) })
  }

  /// Reads a printed key.
  ///
  /// - Throws: `VarveError` with code `invalidArgument` if it has a mistake.
  package init(printed text: String) throws {
    try self.init(
      seed: PrintedSecret.read(
        text,
        byteCount: Self.byteCount,
        domain: .recoveryKey,
        "the recovery key"
      )
    )
  }

  private init(seed: Secret) throws {
    self.seed = seed
    let signing = KeyDerivation.key(from: seed, info: Domain.recoverySigning.bytes)
    let agreement = KeyDerivation.key(from: seed, info: Domain.recoveryAgreement.bytes)
    signer = try Signer(signingBytes: signing, agreementBytes: agreement)
  }

  /// The text to print, in 14 groups of four digits. It is shown once and kept nowhere.
  package var printed: String { PrintedSecret.text(of: seed, domain: .recoveryKey) }
}

extension RecoveryKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The id, which is public.
  package var description: String { "recovery key \(signer.id)" }

  /// The id, which is public.
  package var debugDescription: String { description }

  /// Nothing of the key.
  package var customMirror: Mirror {
    Mirror(self, children: ["id": signer.id], displayStyle: .struct)
  }
}
