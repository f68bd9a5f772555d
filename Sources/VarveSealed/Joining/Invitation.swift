import Crypto
import Foundation
import VarveCore

/// The right to join a space once, which travels over another channel than the relay.
///
/// Whoever has the code can join. It authenticates the new device to the admin, and the history that
/// the relay shows to the new device.
package struct Invitation: Sendable, Hashable {
  package let role: MemberRole
  /// The role and 16 random bytes.
  private let secret: Secret

  private static let secretByteCount = 17

  /// Creates a new invitation.
  package init(role: MemberRole) {
    self.role = role
    secret = SymmetricKey(size: .bits128).withUnsafeBytes { key in
      Secret(count: Self.secretByteCount) { buffer in
        buffer[0] = role.rawValue
        UnsafeMutableRawBufferPointer(rebasing: buffer[1...]).copyMemory(from: key)
      }
    }
  }

  /// Reads a code.
  ///
  /// - Throws: `VarveError` with code `invalidArgument` if it has a mistake.
  package init(code: String) throws {
    secret = try PrintedSecret.read(
      code,
      byteCount: Self.secretByteCount,
      domain: .invitation,
      "the invitation"
    )
    guard let role = MemberRole(rawValue: secret.withUnsafeBytes { $0[0] }) else {
      throw VarveError(
        .invalidArgument,
        "the invitation is for a role that is unknown",
        at: "the invitation",
        remedy: "Use a newer version of Varve."
      )
    }
    self.role = role
  }

  /// The text for the new member, in eight groups of four digits.
  package var code: String { PrintedSecret.text(of: secret, domain: .invitation) }

  /// Identifies the invitation to the relay and in the membership log, 16 bytes.
  package var id: [UInt8] {
    KeyDerivation.key(from: secret, info: Domain.invitationID.bytes)
      .withUnsafeBytes { Array($0.prefix(16)) }
  }

  /// Returns the code that authenticates a message.
  func authenticationCode(_ domain: Domain, _ message: [UInt8]) -> [UInt8] {
    let key = KeyDerivation.key(from: secret, info: Domain.invitationKey.bytes)
    return Array(HMAC<SHA256>.authenticationCode(for: domain.bytes + message, using: key))
  }

  /// Returns whether a code authenticates a message, in a time that does not depend on the code.
  func authenticates(_ code: [UInt8], _ domain: Domain, _ message: [UInt8]) -> Bool {
    let key = KeyDerivation.key(from: secret, info: Domain.invitationKey.bytes)
    return HMAC<SHA256>.isValidAuthenticationCode(
      code,
      authenticating: domain.bytes + message,
      using: key
    )
  }

  /// Hashes the id, which is public.
  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Invitation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The role.
  package var description: String { "invitation of a \(role)" }

  /// The role.
  package var debugDescription: String { description }

  /// The role.
  package var customMirror: Mirror { Mirror(self, children: ["role": role], displayStyle: .struct) }
}
