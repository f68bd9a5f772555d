package import VarveCore

/// What a new device and the admin who invited it authenticate to each other.
package struct JoinTerms: Hashable, Sendable {
  /// The invitation, 16 bytes.
  package let invitation: [UInt8]
  package let space: SpaceID
  /// The hash of the first entry of the membership log.
  package let genesis: ContentDigest
  /// The head of the membership log that the sender has.
  package let membershipHead: ContentDigest
  /// The public keys of the new device.
  package let keys: PublicKeys
  package let role: MemberRole

  static let version: UInt8 = 1

  init(_ invitation: Invitation, _ log: MembershipLog, keys: PublicKeys) {
    self.invitation = invitation.id
    space = log.state.space
    genesis = log.state.genesis
    membershipHead = log.head
    self.keys = keys
    role = invitation.role
  }

  init(_ reader: inout ByteReader) throws {
    let version = try reader.byte()
    guard version == Self.version else {
      throw StrictReading.newer("a request to join has version \(version)")
    }
    invitation = try reader.bytes(16)
    space = try reader.space()
    genesis = try reader.digest()
    membershipHead = try reader.digest()
    keys = try PublicKeys(&reader)
    role = try MemberRole(&reader)
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.byte(Self.version)
    writer.raw(invitation)
    writer.space(space)
    writer.digest(genesis)
    writer.digest(membershipHead)
    writer.raw(keys.bytes)
    writer.byte(role.rawValue)
    return writer.bytes
  }
}
