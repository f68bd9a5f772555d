import VarveCore

/// The request of a new device to be added.
package struct JoinRequest: Hashable, Sendable {
  package let terms: JoinTerms
  /// The new device's, which proves that it has the private key.
  private let signature: [UInt8]
  private let authenticationCode: [UInt8]

  /// Asks to join, after the log that the relay showed was verified.
  package init(_ invitation: Invitation, shown log: MembershipLog, device: Signer) throws {
    terms = JoinTerms(invitation, log, keys: device.publicKeys)
    signature = try device.sign(.joinPossession, terms.bytes)
    authenticationCode = invitation.authenticationCode(.joinRequest, terms.bytes + signature)
  }

  /// The bytes that are sent.
  package var encoded: [UInt8] { terms.bytes + signature + authenticationCode }

  /// Reads a request. Nothing is verified yet.
  ///
  /// - Throws: `VarveError` with code `damaged` or `newerFormat`.
  package init(encoded bytes: [UInt8]) throws {
    self = try StrictReading.read(bytes, "a request to join") { reader in
      JoinRequest(
        terms: try JoinTerms(&reader),
        signature: try reader.bytes(64),
        authenticationCode: try reader.bytes(32)
      )
    }
  }

  private init(terms: JoinTerms, signature: [UInt8], authenticationCode: [UInt8]) {
    self.terms = terms
    self.signature = signature
    self.authenticationCode = authenticationCode
  }

  /// Verifies that whoever has the invitation's code asks to join this space with these keys.
  func verify(_ invitation: Invitation, _ log: MembershipLog) throws {
    let code = authenticationCode
    guard invitation.authenticates(code, .joinRequest, terms.bytes + signature) else {
      throw invalid("it was not made with the code of the invitation")
    }
    guard terms.keys.verifies(signature, of: .joinPossession, terms.bytes) else {
      throw invalid("the new device does not have its private key")
    }
    guard terms.invitation == invitation.id, terms.space == log.state.space,
      terms.genesis == log.state.genesis, terms.role == invitation.role
    else { throw invalid("it is for another space or role") }
    guard log.contains(terms.membershipHead) else {
      throw invalid("the new device was shown another history")
    }
  }

  private func invalid(_ why: String) -> VarveError {
    StrictReading.damaged("a request to join", why)
  }
}
