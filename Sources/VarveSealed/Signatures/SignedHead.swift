package import VarveCore

/// A device's statement that it wrote a commit and all that lie below it in its chain.
///
/// It covers the name of the commit, so nobody can put valid ciphertext under another header.
package struct SignedHead: Hashable, Sendable {
  package let space: SpaceID
  package let device: DeviceID
  /// The head of the membership log that the device saw when it signed.
  package let membershipHead: ContentDigest
  package let commit: CommitID
  private let signature: [UInt8]

  private static let version: UInt8 = 1

  /// Signs the newest commit of a chain.
  package init(
    _ commit: CommitID,
    space: SpaceID,
    membershipHead: ContentDigest,
    signedBy signer: Signer
  ) throws {
    let message = Self.message(
      space: space,
      device: signer.id,
      membershipHead: membershipHead,
      commit: commit
    )
    self.init(
      space: space,
      device: signer.id,
      membershipHead: membershipHead,
      commit: commit,
      signature: try signer.sign(.signedHead, message)
    )
  }

  private init(
    space: SpaceID,
    device: DeviceID,
    membershipHead: ContentDigest,
    commit: CommitID,
    signature: [UInt8]
  ) {
    self.space = space
    self.device = device
    self.membershipHead = membershipHead
    self.commit = commit
    self.signature = signature
  }

  /// The bytes that are stored and sent.
  package var encoded: [UInt8] { message + signature }

  /// Reads a signed head. Nothing is verified yet.
  ///
  /// - Throws: `VarveError` with code `damaged` or `newerFormat`.
  package init(encoded bytes: [UInt8]) throws {
    self = try StrictReading.read(bytes, "a signed head") { reader in
      let version = try reader.byte()
      guard version == Self.version else {
        throw StrictReading.newer("a signed head has version \(version)")
      }
      return SignedHead(
        space: try reader.space(),
        device: try reader.deviceID(),
        membershipHead: try reader.digest(),
        commit: try reader.commitID(),
        signature: try reader.bytes(64)
      )
    }
  }

  /// Returns whether the statement holds, in the state after the entry that it names.
  package func isValid(in state: MembershipState) -> Bool {
    guard space == state.space, state.mayWrite(device, as: commit.replica),
      let keys = state.keys(of: device)
    else { return false }
    return keys.verifies(signature, of: .signedHead, message)
  }

  private var message: [UInt8] {
    Self.message(
      space: space,
      device: device,
      membershipHead: membershipHead,
      commit: commit
    )
  }

  private static func message(
    space: SpaceID,
    device: DeviceID,
    membershipHead: ContentDigest,
    commit: CommitID
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(version)
    writer.space(space)
    writer.digest(device.digest)
    writer.digest(membershipHead)
    writer.commitID(commit)
    return writer.bytes
  }
}
