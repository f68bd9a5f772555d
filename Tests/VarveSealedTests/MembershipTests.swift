import Testing
import VarveCore
import VarveSealed
import VarveTestSupport

@Suite("The membership of a space")
struct MembershipTests {
  private var team: SealedTeam

  init() throws { team = try SealedTeam() }

  /// Expects that an operation is refused and changes nothing.
  private func refuses(
    _ operation: MembershipOperation,
    by signer: Signer,
    _ code: VarveError.Code = .damaged,
    _ words: String = "",
    location: SourceLocation = #_sourceLocation
  ) throws {
    var log = team.log
    let error = try #require(throws: VarveError.self, sourceLocation: location) {
      try log.append(operation, milliseconds: 1, signedBy: signer)
    }
    #expect(error.code == code, "\(error)", sourceLocation: location)
    #expect(error.message.contains(words), "\(error)", sourceLocation: location)
    #expect(error.place != nil && error.remedy != nil, sourceLocation: location)
    #expect(log.encoded == team.log.encoded, sourceLocation: location)
    #expect(log.state.members == team.log.state.members, sourceLocation: location)
    #expect(log.state.epochInForce == team.log.state.epochInForce, sourceLocation: location)
  }

  @Test func `a log is read as it was written`() throws {
    let log = try MembershipLog(encoded: team.log.encoded)
    #expect(log.head == team.log.head)
    #expect(log.state.members == [team.ana.id, team.ben.id, team.eve.id].sorted())
    #expect(log.state.role(of: team.ben.id) == .writer)
    #expect(log.state.mayWrite(team.ben.id, as: team.replica(of: team.ben)))
    #expect(!log.state.mayWrite(team.ben.id, as: team.replica(of: team.eve)))
  }

  @Test func `only admins change the membership`() throws {
    let stranger = try Signer.newDevice()
    let add = try team.log.adding(stranger.publicKeys, as: .admin, with: team.keyring)
    try refuses(add, by: team.ben, .forbidden)
    try refuses(.remove(team.eve.id, accepted: []), by: team.ben, .forbidden)
    try refuses(.role(team.ben.id, .admin, accepted: []), by: team.ben, .forbidden)
    try refuses(.checkpoint([]), by: team.ben, .forbidden)
    try refuses(team.log.nextEpoch(with: team.keyring).0, by: team.ben, .forbidden)
    try refuses(add, by: stranger, .damaged, "signature")
  }

  @Test func `a reader binds no replica and a replica is bound once`() throws {
    var reading = try SealedTeam()
    try reading.append(.role(reading.ben.id, .reader, accepted: []), by: reading.ana)
    #expect(throws: VarveError.self) { try reading.append(.bind(.random()), by: reading.ben) }
    try refuses(.bind(team.replica(of: team.ben)), by: team.eve, .damaged, "bound")
    try refuses(.bind(.random()), by: team.recovery.signer, .forbidden)
  }

  @Test func `a removed device does nothing and never returns`() throws {
    try refuses(.remove(.init(digest: .zero), accepted: []), by: team.ana, .damaged, "no such")
    var team = team
    try team.append(.remove(team.eve.id, accepted: []), by: team.ana)
    for operation: MembershipOperation in [
      .bind(.random()), .remove(team.ana.id, accepted: []), .checkpoint([]),
    ] {
      let error = #expect(throws: VarveError.self) { try team.append(operation, by: team.eve) }
      #expect(error?.code == .forbidden)
    }
    let again = try team.log.adding(team.eve.publicKeys, as: .reader, with: team.keyring)
    let error = #expect(throws: VarveError.self) { try team.append(again, by: team.ana) }
    #expect(error?.message.contains("before") == true)
  }

  @Test func `of two admins that remove each other the first stands`() throws {
    let place = team.log.nextPlace
    let first = try MembershipEntry(
      .remove(team.ana.id, accepted: []),
      at: place,
      milliseconds: 2,
      signedBy: team.eve
    )
    var log = team.log
    try log.append(first)
    let second = try MembershipEntry(
      .remove(team.eve.id, accepted: []),
      at: log.nextPlace,
      milliseconds: 1,
      signedBy: team.ana
    )
    let error = #expect(throws: VarveError.self) { try log.append(second) }
    #expect(error?.code == .forbidden)
    #expect(log.state.role(of: team.eve.id) == .admin)
  }

  @Test func `the recovery key outranks admins and is no device`() throws {
    var team = team
    try team.append(.remove(team.ana.id, accepted: []), by: team.recovery.signer)
    try team.append(.role(team.ben.id, .admin, accepted: []), by: team.recovery.signer)
    #expect(team.log.state.role(of: team.ben.id) == .admin)
    let id = team.recovery.signer.id
    #expect(throws: VarveError.self) { try team.append(.remove(id, accepted: []), by: team.ben) }
  }

  @Test func `roles change and only those who may no longer write have accepted heads`() throws {
    try refuses(.role(team.ben.id, .writer, accepted: []), by: team.ana, .damaged, "role")
    let head = team.commits(1, by: team.ben)[0].id
    try refuses(.role(team.ben.id, .admin, accepted: [head]), by: team.ana, .damaged, "accepted")
    let other = team.commits(1, by: team.eve)[0].id
    try refuses(.role(team.ben.id, .reader, accepted: [other]), by: team.ana, .damaged, "head")
    try refuses(.remove(team.ben.id, accepted: [other]), by: team.ana, .damaged, "head")
    let absent = CommitID(replica: .random(), sequence: 1, hash: .zero)
    try refuses(.checkpoint([absent]), by: team.ana, .damaged, "bound")
  }

  @Test func `an invitation is used once`() throws {
    var team = team
    let invitation = [UInt8](repeating: 5, count: 16)
    func adding() throws -> MembershipOperation {
      try team.log.adding(
        Signer.newDevice().publicKeys,
        as: .reader,
        invitation: invitation,
        with: team.keyring
      )
    }
    try team.append(adding(), by: team.ana)
    let again = try adding()
    let error = #expect(throws: VarveError.self) { try team.append(again, by: team.eve) }
    #expect(error?.message.contains("invitation") == true)
  }

  @Test func `an epoch is new and sealed to exactly the members`() throws {
    guard case .epoch(let next) = try team.log.nextEpoch(with: team.keyring).0 else { return }
    func epoch(
      number: Int64? = nil,
      commitment: ContentDigest? = nil,
      earlier: [EarlierEpoch]? = nil,
      recipients: [NewEpoch.Recipient]? = nil
    ) -> MembershipOperation {
      .epoch(
        NewEpoch(
          number: number ?? next.number,
          commitment: commitment ?? next.commitment,
          earlier: earlier ?? next.earlier,
          recipients: recipients ?? next.recipients
        )
      )
    }
    try refuses(epoch(number: 1), by: team.ana, .damaged, "number")
    try refuses(epoch(number: 3), by: team.ana, .damaged, "number")
    let current = try #require(team.log.state.epochInForce)
    try refuses(epoch(commitment: current), by: team.ana, .damaged, "epoch before")
    try refuses(epoch(earlier: []), by: team.ana, .damaged, "seal")
    try refuses(epoch(recipients: next.recipients.dropLast()), by: team.ana, .damaged, "exactly")
    try refuses(epoch(recipients: next.recipients.reversed()), by: team.ana, .damaged, "exactly")
    let more = next.recipients + [next.recipients[0]]
    try refuses(epoch(recipients: more), by: team.ana, .damaged, "exactly")
    var team = team
    try team.append(epoch(), by: team.ana)
    #expect(team.log.state.epochNumber == 2)
  }

  @Test func `a removal ends the epoch and the next leaves the device out`() throws {
    var team = team
    try team.append(.remove(team.eve.id, accepted: []), by: team.ana)
    #expect(team.log.state.epochInForce == nil)
    try team.beginEpoch(by: team.ana)
    #expect(try EpochKeyring(opening: team.log, with: team.ben).count == 2)
    // Eve reads what she could read before, and not what comes after.
    let hers = try EpochKeyring(opening: team.log, with: team.eve)
    #expect(hers.count == 1)
    let commitment = try #require(team.log.state.epochInForce)
    let error = #expect(throws: VarveError.self) { try hers.key(for: commitment) }
    #expect(error?.code == .notFound)
  }

  @Test func `a new device gets the key in force and reads earlier epochs`() throws {
    var team = team
    for _ in 0..<3 { try team.beginEpoch(by: team.ana) }
    let guest = try Signer.newDevice()
    let without = MembershipOperation.add(NewMember(keys: guest.publicKeys, role: .reader))
    #expect(throws: VarveError.self) { try team.append(without, by: team.ana) }
    try team.append(
      team.log.adding(guest.publicKeys, as: .reader, with: team.keyring),
      by: team.ana
    )
    #expect(try EpochKeyring(opening: team.log, with: guest).count == 4)
    #expect(try EpochKeyring(opening: team.log, with: team.recovery.signer).count == 4)
  }

  @Test func `only what is below a checkpoint is destroyed`() throws {
    let head = team.commits(3, by: team.ben)
    let block = PurgedBlock(BlockName(commit: head[2].id, index: 0), digest: .zero)
    try refuses(.redact([block], sealed: [1]), by: team.ana, .damaged, "checkpoint")
    let horizon = Horizon(time: head[2].time, frontier: Frontier([head[2].id]))
    try refuses(.compact(horizon), by: team.ana, .damaged, "checkpoint")
    var team = team
    try team.append(.checkpoint([head[1].id]), by: team.ana)
    #expect(throws: VarveError.self) {
      try team.append(.redact([block], sealed: [1]), by: team.ana)
    }
    try team.append(.checkpoint([head[2].id]), by: team.ana)
    try team.append(.redact([block], sealed: [1]), by: team.ana)
    try team.append(.compact(horizon), by: team.ana)
  }

  /// Every operation has one encoding.
  @Test func `heads and blocks are in rising order without repetition`() throws {
    let heads = team.commits(2, by: team.ben).map(\.id).sorted()
    for others in [[heads[1], heads[0]], [heads[0], heads[0]]] {
      try refuses(.checkpoint(others), by: team.ana, .damaged, "rising")
      let blocks = others.map { PurgedBlock(BlockName(commit: $0, index: 0), digest: .zero) }
      try refuses(.redact(blocks, sealed: []), by: team.ana, .damaged, "rising")
    }
    var team = team
    try team.append(.checkpoint(heads), by: team.ana)
  }

  @Test func `an open space has no epochs and nothing is destroyed there`() throws {
    var open = try SealedTeam(mode: .open)
    for operation: MembershipOperation in [
      .checkpoint([]), .redact([], sealed: []),
      try open.log.nextEpoch(with: open.keyring).0,
    ] {
      let error = #expect(throws: VarveError.self) { try open.append(operation, by: open.ana) }
      #expect(error?.message.contains("open") == true)
    }
  }

  @Test func `keys that protect nothing are not added`() throws {
    let good = try Signer.newDevice().publicKeys
    var identity = [UInt8](repeating: 0, count: 32)
    identity[0] = 1
    for sign: UInt8 in [0, 0x80] {
      identity[31] = sign
      #expect(throws: VarveError.self) {
        try PublicKeys(signing: identity, agreement: good.agreement)
      }
    }
    #expect(throws: VarveError.self) {
      try PublicKeys(signing: good.signing, agreement: [UInt8](repeating: 0, count: 32))
    }
  }
}
