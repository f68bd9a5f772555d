import Crypto
import Foundation
package import VarveCore

/// The key of an epoch: what is written between two changes of it is sealed under it.
package struct EpochKey: Sendable {
  /// 32 random bytes.
  package let secret: Secret
  package let space: SpaceID
  package let number: Int64
  /// The commitment to the key in the membership log. No other key has the same one.
  package let commitment: ContentDigest

  private static let byteCount = 32

  /// Creates a new key.
  package static func new(space: SpaceID, number: Int64) -> EpochKey {
    let secret = SymmetricKey(size: .bits256).withUnsafeBytes { Secret(copying: $0) }
    return EpochKey(secret, space: space, number: number)
  }

  private init(_ secret: Secret, space: SpaceID, number: Int64) {
    self.secret = secret
    self.space = space
    self.number = number
    var writer = ByteWriter()
    writer.raw(Domain.epochCommitment.bytes)
    writer.space(space)
    writer.number64(number)
    var digest = DigestStream()
    digest.add(writer.bytes)
    secret.withUnsafeBytes { digest.add($0) }
    commitment = digest.digest
  }

  /// Creates a key from its bytes.
  ///
  /// - Throws: `VarveError` with code `damaged` if the key does not match the commitment.
  package init(
    _ secret: Secret,
    space: SpaceID,
    number: Int64,
    commitment: ContentDigest
  ) throws {
    self.init(secret, space: space, number: number)
    guard secret.count == Self.byteCount, self.commitment == commitment else {
      throw StrictReading.damaged(
        "the key of epoch \(number)",
        "it is not the one that the membership log commits to"
      )
    }
  }
}

extension EpochKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number, which is public.
  package var description: String { "key of epoch \(number)" }

  /// The number, which is public.
  package var debugDescription: String { description }

  /// Nothing of the key.
  package var customMirror: Mirror {
    Mirror(self, children: ["number": number], displayStyle: .struct)
  }
}
