import Testing
import VarveCore
import VarveSealed

@Suite("The keys of epochs")
struct EpochKeyTests {
  private let team: SealedTeam

  init() throws { team = try SealedTeam() }

  @Test func `a key is opened only by its device for its space and epoch`() throws {
    let key = try team.epochKey
    let sealed = try SealedEpochKey(sealing: key, to: team.ben.publicKeys)
    func open(
      by device: Signer? = nil,
      space: SpaceID? = nil,
      number: Int64? = nil
    ) throws -> EpochKey {
      try sealed.opened(
        by: device ?? team.ben,
        space: space ?? key.space,
        number: number ?? key.number,
        commitment: key.commitment
      )
    }
    #expect(try open().secret == key.secret)
    #expect(throws: VarveError.self) { try open(by: team.eve) }
    #expect(throws: VarveError.self) { try open(space: .random()) }
    #expect(throws: VarveError.self) { try open(number: 2) }
  }

  @Test func `a key that the log does not commit to is refused`() throws {
    let key = EpochKey.new(space: team.space, number: 1)
    let sealed = try SealedEpochKey(sealing: key, to: team.ben.publicKeys)
    let other = try team.epochKey.commitment
    let error = #expect(throws: VarveError.self) {
      try sealed.opened(by: team.ben, space: team.space, number: 1, commitment: other)
    }
    #expect(error?.message.contains("commits") == true)
    let later = EpochKey.new(space: team.space, number: 2)
    let earlier = try EarlierEpoch(sealing: key, under: later)
    #expect(try earlier.opened(under: later, number: 1).secret == key.secret)
    #expect(throws: VarveError.self) { try earlier.opened(under: later, number: 3) }
    #expect(throws: VarveError.self) { try earlier.opened(under: key, number: 1) }
  }

  /// An admin seals something else to a member: that member cannot read this epoch, and says why; the
  /// others, and its other epochs, are unharmed.
  @Test func `an epoch that was sealed wrongly harms no other`() throws {
    var team = team
    let (operation, key) = try team.log.nextEpoch(with: team.keyring)
    guard case .epoch(let epoch) = operation else { return }
    let wrong = EpochKey.new(space: team.space, number: key.number)
    let recipients = try epoch.recipients.map { recipient in
      guard recipient.id == team.ben.id else { return recipient }
      return .init(
        id: recipient.id,
        key: try SealedEpochKey(sealing: wrong, to: team.ben.publicKeys)
      )
    }
    let forged = NewEpoch(
      number: epoch.number,
      commitment: epoch.commitment,
      earlier: epoch.earlier,
      recipients: recipients
    )
    try team.append(.epoch(forged), by: team.ana)
    let keyring = try EpochKeyring(opening: team.log, with: team.ben)
    #expect(keyring.count == 1)
    let error = #expect(throws: VarveError.self) { try keyring.key(for: epoch.commitment) }
    #expect(error?.code == .damaged)
    #expect(try EpochKeyring(opening: team.log, with: team.eve).count == 2)
  }
}
