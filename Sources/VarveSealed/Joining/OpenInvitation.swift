package import VarveCore

/// An invitation as the admin's device keeps it until it is used or ends.
package struct OpenInvitation: Sendable, Hashable {
  package let invitation: Invitation
  /// The last moment at which it can be used, in milliseconds since 1970.
  package let end: Int64
  /// Whether a device was added by it.
  package private(set) var isUsed = false

  package init(_ invitation: Invitation, end: Int64) {
    self.invitation = invitation
    self.end = end
  }

  /// Adds the device that asks, and uses the invitation up.
  ///
  /// - Parameters:
  ///   - log: the membership log, to which the entry is added.
  ///   - keyring: the admin's keys.
  ///   - milliseconds: the present.
  /// - Returns: the confirmation for the new device.
  /// - Throws: `VarveError` with code `damaged` if the request is not genuine, `forbidden` if the
  ///   invitation ended or was used. Nothing changes then.
  package mutating func admit(
    _ request: JoinRequest,
    to log: inout MembershipLog,
    with keyring: EpochKeyring,
    milliseconds: Int64,
    signedBy admin: Signer
  ) throws -> JoinConfirmation {
    guard !isUsed, milliseconds <= end else {
      throw VarveError(
        .forbidden,
        isUsed ? "the invitation was used before" : "the invitation has ended",
        at: "invitation of a \(invitation.role)",
        remedy: "Make a new invitation."
      )
    }
    try request.verify(invitation, log)
    let operation = try log.adding(
      request.terms.keys,
      as: invitation.role,
      invitation: invitation.id,
      with: keyring
    )
    try log.append(operation, milliseconds: milliseconds, signedBy: admin)
    isUsed = true
    return JoinConfirmation(invitation, log, keys: request.terms.keys)
  }
}

extension OpenInvitation {
  private static let version: UInt8 = 1

  /// The form in which a ``KeyStore`` keeps it.
  package var secret: Secret {
    var writer = ByteWriter()
    writer.byte(Self.version)
    writer.number64(end)
    writer.byte(isUsed ? 1 : 0)
    var bytes = writer.bytes + Array(invitation.code.utf8)
    defer { bytes.withUnsafeMutableBytes(Secret.wipe) }
    return Secret(copying: bytes)
  }

  /// Reads what a ``KeyStore`` kept.
  ///
  /// - Throws: `VarveError` with code `damaged` or `newerFormat`.
  package init(_ secret: Secret) throws {
    let what = "an invitation that this device made"
    self = try StrictReading.read(secret.withUnsafeBytes { Array($0) }, what) { reader in
      guard try reader.byte() == Self.version else { throw StrictReading.newer("\(what) is newer") }
      let end = try reader.number64()
      let isUsed = try reader.byte()
      let code = String(decoding: try reader.raw(reader.remaining), as: UTF8.self)
      guard isUsed <= 1, let invitation = try? Invitation(code: code) else {
        throw reader.damaged("it is not one")
      }
      var open = OpenInvitation(invitation, end: end)
      open.isUsed = isUsed == 1
      return open
    }
  }
}
