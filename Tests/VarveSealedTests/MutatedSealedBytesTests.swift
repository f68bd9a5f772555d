import Testing
import VarveCore
import VarveSealed
import VarveTestSupport

/// Bytes that are damaged or made up are read as they were, or throw a typed error; they never trap.
@Suite("Bytes of sealed spaces that are not as they were written")
struct MutatedSealedBytesTests {
  /// Reads bytes as each structure.
  private static let readers: [(String, @Sendable ([UInt8]) throws -> Void)] = [
    ("entry", { _ = try MembershipEntry(encoded: $0) }),
    ("log", { _ = try MembershipLog(encoded: $0) }),
    ("head", { _ = try SignedHead(encoded: $0) }),
    ("request", { _ = try JoinRequest(encoded: $0) }),
    ("confirmation", { _ = try JoinConfirmation(encoded: $0) }),
    ("keys", { _ = try Signer(Secret(copying: $0)) }),
    ("memory", { _ = try MembershipMemory(Secret(copying: $0)) }),
    ("invitation", { _ = try OpenInvitation(Secret(copying: $0)) }),
    ("epoch field", { _ = try SealedCommitFields([.init(number: 1, bytes: $0)], kind: 0) }),
    ("head field", { _ = try SealedCommitFields([.init(number: 6, bytes: $0)], kind: 0) }),
    ("void field", { _ = try SealedCommitFields([.init(number: 8, bytes: $0)], kind: 2) }),
    ("code", { _ = try Invitation(code: String(decoding: $0, as: UTF8.self)) }),
    ("printed", { _ = try RecoveryKey(printed: String(decoding: $0, as: UTF8.self)) }),
  ]

  /// One of each structure.
  private static func samples(_ history: RandomHistory) throws -> [[UInt8]] {
    let team = history.team
    let invitation = Invitation(role: .reader)
    let guest = try Signer.newDevice()
    let request = try JoinRequest(invitation, shown: team.log, device: guest)
    var fresh = try SealedTeam()
    let own = try JoinRequest(invitation, shown: fresh.log, device: guest)
    var open = OpenInvitation(invitation, end: 1)
    let confirmation = try open.admit(
      own,
      to: &fresh.log,
      with: fresh.keyring,
      milliseconds: 1,
      signedBy: fresh.ana
    )
    let commit = team.commits(1, by: team.ana)[0].id
    let fields = SealedCommitFields(
      epoch: 1,
      sealedAuthor: [1, 2, 3],
      membershipHead: team.log.head,
      voided: [commit]
    )
    return team.log.entries.map(\.encoded) + history.heads.map(\.encoded)
      + fields.extensions.map(\.bytes)
      + [
        fresh.log.encoded, request.encoded, confirmation.encoded, team.ana.secret.exposed,
        MembershipMemory(team.log).secret.exposed, open.secret.exposed,
        Array(invitation.code.utf8), Array(team.recovery.printed.utf8),
      ]
  }

  private func read(_ bytes: [UInt8]) {
    for (name, read) in Self.readers {
      do {
        try read(bytes)
      } catch let error as VarveError {
        let codes: [VarveError.Code] = [.damaged, .newerFormat, .forbidden, .invalidArgument]
        #expect(codes.contains(error.code), "\(name): \(error)")
      } catch {
        Issue.record("\(name): an untyped error \(error)")
      }
    }
  }

  @Test(arguments: Seeds.first(4, of: 0..<60))
  func `damaged bytes throw typed errors`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for sample in try Self.samples(RandomHistory(seed: seed, steps: 30)) {
      var bytes = sample
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes = random.mutated(bytes)
        read(bytes)
      }
    }
  }

  @Test(arguments: Seeds.first(4, of: 0..<60))
  func `made up bytes throw typed errors`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let count = Int.random(in: 0..<300, using: &random)
      read((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }
  }

  /// An admin signs what breaks the rules: a valid signature makes nothing valid.
  @Test(arguments: Seeds.first(4, of: 0..<60))
  func `counts that are too large take no memory`(seed: UInt64) throws {
    // The body of a redaction that states 2 to the 62nd blocks.
    for kind: UInt8 in 2...10 {
      var body = ByteWriter()
      body.byte(1)
      body.byte(kind)
      for _ in 0..<96 { body.byte(0) }
      for _ in 0..<8 { body.byte(0xFF) }
      body.byte(0x3F)
      var entry = ByteWriter()
      entry.counted(body.bytes)
      entry.raw([UInt8](repeating: UInt8(seed), count: 64))
      #expect(throws: VarveError.self) { try MembershipEntry(encoded: entry.bytes) }
    }
  }

  @Test(arguments: Seeds.first(4, of: 0..<60))
  func `damaged sealed content throws typed errors`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let team = try SealedTeam()
    let key = try team.epochKey
    let place = SealedBlock.Place(space: team.space, replica: .random(), sequence: 1, index: 0)
    let block = try SealedBlock.seal([0, 1, 2, 3], at: place, under: key, using: &random)
    for _ in 0..<300 {
      let changed = random.mutated(block)
      guard changed != block else { continue }
      let error = #expect(throws: VarveError.self) {
        try SealedBlock.open(changed, at: place, under: key)
      }
      #expect(error?.code == .damaged)
    }
  }
}
