import Testing
import VarveCore
import VarveSealed

@Suite("Invitations")
struct InvitationTests {
  private var team: SealedTeam
  private let invitation = Invitation(role: .writer)
  private let guest: Signer
  private let request: JoinRequest

  init() throws {
    team = try SealedTeam()
    guest = try .newDevice()
    request = try JoinRequest(invitation, shown: team.log, device: guest)
  }

  private func admit(
    _ request: JoinRequest,
    _ invitation: Invitation? = nil,
    to log: inout MembershipLog,
    milliseconds: Int64 = 5
  ) throws -> JoinConfirmation {
    var open = OpenInvitation(invitation ?? self.invitation, end: 5)
    return try open.admit(
      request,
      to: &log,
      with: team.keyring,
      milliseconds: milliseconds,
      signedBy: team.ana
    )
  }

  @Test func `who has the code joins once`() throws {
    var log = team.log
    var open = OpenInvitation(invitation, end: 5)
    let confirmation = try open.admit(
      request,
      to: &log,
      with: team.keyring,
      milliseconds: 5,
      signedBy: team.ana
    )
    #expect(open.isUsed)
    #expect(log.state.role(of: guest.id) == .writer)
    let read = try JoinConfirmation(encoded: confirmation.encoded)
    let memory = try read.accept(
      Invitation(code: invitation.code.lowercased()),
      request: JoinRequest(encoded: request.encoded),
      log: log
    )
    #expect(memory.head == log.head)
    #expect(try EpochKeyring(opening: log, with: guest).count == 1)
    let other = try JoinRequest(invitation, shown: log, device: .newDevice())
    let error = #expect(throws: VarveError.self) {
      try open.admit(
        other,
        to: &log,
        with: team.keyring,
        milliseconds: 5,
        signedBy: team.ana
      )
    }
    #expect(error?.code == .forbidden)
    // Nor does another copy of the invitation help: the log has its id.
    #expect(throws: VarveError.self) { try admit(other, to: &log) }
  }

  @Test func `an invitation ends`() throws {
    var log = team.log
    let error = #expect(throws: VarveError.self) { try admit(request, to: &log, milliseconds: 6) }
    #expect(error?.code == .forbidden)
    #expect(log.head == team.log.head)
  }

  @Test func `a request without the code is refused`() throws {
    var log = team.log
    let forged = try JoinRequest(Invitation(role: .writer), shown: log, device: guest)
    #expect(throws: VarveError.self) { try admit(forged, to: &log) }
    #expect(log.head == team.log.head)
  }

  /// The relay changes any byte of what it carries: keys, role, space, history.
  @Test func `every changed byte is noticed`() throws {
    var log = team.log
    let confirmation = try admit(request, to: &log)
    for index in request.encoded.indices {
      var bytes = request.encoded
      bytes[index] ^= 1
      var untouched = team.log
      #expect(throws: VarveError.self) {
        try admit(JoinRequest(encoded: bytes), to: &untouched)
      }
      #expect(untouched.head == team.log.head)
    }
    for index in confirmation.encoded.indices {
      var bytes = confirmation.encoded
      bytes[index] ^= 1
      #expect(throws: VarveError.self) {
        try JoinConfirmation(encoded: bytes).accept(invitation, request: request, log: log)
      }
    }
  }

  @Test func `a new device that was shown another history is not added`() throws {
    // The relay shows a log of its own under the same space.
    let relay = try Signer.newDevice()
    let fake = try MembershipLog(
      of: team.space,
      mode: .sealed,
      creator: relay,
      recovery: RecoveryKey().signer.publicKeys,
      milliseconds: 0
    )
    var log = team.log
    let forged = try JoinRequest(invitation, shown: fake, device: guest)
    #expect(throws: VarveError.self) { try admit(forged, to: &log) }
    // And a confirmation holds for the history of the admin alone.
    let confirmation = try admit(request, to: &log)
    #expect(throws: VarveError.self) {
      try confirmation.accept(invitation, request: request, log: fake)
    }
    #expect(throws: VarveError.self) {
      try confirmation.accept(invitation, request: request, log: team.log)
    }
  }

  @Test func `a confirmation for another device is refused`() throws {
    var log = team.log
    let other = try JoinRequest(invitation, shown: log, device: .newDevice())
    let confirmation = try admit(other, to: &log)
    let error = #expect(throws: VarveError.self) {
      try confirmation.accept(invitation, request: request, log: log)
    }
    #expect(error?.message.contains("request") == true)
  }

  @Test func `a device that was removed meanwhile is not in`() throws {
    var log = team.log
    let confirmation = try admit(request, to: &log)
    try log.append(.remove(guest.id, accepted: []), milliseconds: 1, signedBy: team.ana)
    #expect(throws: VarveError.self) {
      try confirmation.accept(invitation, request: request, log: log)
    }
  }

  @Test func `a code is short and has a checksum`() throws {
    #expect(invitation.code.split(separator: "-").map(\.count) == Array(repeating: 4, count: 8))
    #expect(try Invitation(code: invitation.code) == invitation)
    #expect(throws: VarveError.self) { try Invitation(code: RecoveryKey().printed) }
    var digits = Array(invitation.code)
    digits[0] = digits[0] == "0" ? "1" : "0"
    #expect(throws: VarveError.self) { try Invitation(code: String(digits)) }
  }
}
