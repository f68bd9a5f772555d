import VarveCore

/// The admin's statement to a new device: this is the history, and you are in it.
package struct JoinConfirmation: Hashable, Sendable {
  package let terms: JoinTerms
  private let authenticationCode: [UInt8]

  /// - Parameter log: the membership log with the new device in it.
  init(_ invitation: Invitation, _ log: MembershipLog, keys: PublicKeys) {
    terms = JoinTerms(invitation, log, keys: keys)
    authenticationCode = invitation.authenticationCode(.joinConfirmation, terms.bytes)
  }

  /// The bytes that are sent.
  package var encoded: [UInt8] { terms.bytes + authenticationCode }

  /// Reads a confirmation. Nothing is verified yet.
  ///
  /// - Throws: `VarveError` with code `damaged` or `newerFormat`.
  package init(encoded bytes: [UInt8]) throws {
    self = try StrictReading.read(bytes, "a confirmation of joining") { reader in
      JoinConfirmation(
        terms: try JoinTerms(&reader),
        authenticationCode: try reader.bytes(32)
      )
    }
  }

  private init(terms: JoinTerms, authenticationCode: [UInt8]) {
    self.terms = terms
    self.authenticationCode = authenticationCode
  }

  /// Verifies that the admin who made the invitation vouches for a log, which has the new device.
  ///
  /// - Returns: what the device remembers of the log from then on.
  /// - Throws: `VarveError` with code `damaged`.
  package func accept(
    _ invitation: Invitation,
    request: JoinRequest,
    log: MembershipLog
  ) throws -> MembershipMemory {
    guard invitation.authenticates(authenticationCode, .joinConfirmation, terms.bytes) else {
      throw invalid("it was not made with the code of the invitation")
    }
    let own = request.terms
    guard terms.invitation == own.invitation, terms.space == own.space,
      terms.genesis == own.genesis, terms.keys == own.keys, terms.role == own.role
    else { throw invalid("it is not about this request") }
    guard log.state.space == terms.space, log.state.genesis == terms.genesis,
      log.contains(terms.membershipHead)
    else { throw invalid("the relay shows another history than the admin has") }
    guard log.state.role(of: terms.keys.id) == terms.role else {
      throw invalid("this device has another role, or was removed since")
    }
    return MembershipMemory(log)
  }

  private func invalid(_ why: String) -> VarveError {
    StrictReading.damaged("a confirmation of joining", why)
  }
}
