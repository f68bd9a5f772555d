import Testing
import VarveCore
import VarveSealed
import VarveTestSupport

@Suite("Which commits count")
struct VoidDecisionTests {
  private var team: SealedTeam

  init() throws { team = try SealedTeam() }

  private func verdicts(
    _ commits: [CommitFacts],
    _ heads: [SignedHead]
  ) throws -> [CommitVerdict?] {
    let verdicts = try VoidDecision.verdicts(of: commits, heads: heads, log: team.log)
    return commits.map { verdicts[$0.id] }
  }

  @Test func `a signature of a head covers what lies below and nothing above`() throws {
    let commits = team.commits(3, by: team.ben)
    let heads = [try team.signed(commits[1], by: team.ben)]
    let expected: [CommitVerdict] = [.accepted, .accepted, .waiting(.signature)]
    #expect(try verdicts(commits, heads) == expected)
  }

  @Test func `a signature of another device proves nothing`() throws {
    let commits = team.commits(1, by: team.ben)
    let heads = [try team.signed(commits[0], by: team.eve)]
    #expect(try verdicts(commits, heads) == [.waiting(.signature)])
  }

  /// A relay names the device of a commit and has not its key.
  @Test func `a forged signature proves nothing`() throws {
    let commits = team.commits(1, by: team.ben)
    var bytes = try team.signed(commits[0], by: team.ben).encoded
    #expect(try verdicts(commits, [SignedHead(encoded: bytes)]) == [.accepted])
    bytes[bytes.count - 1] ^= 1
    #expect(try verdicts(commits, [SignedHead(encoded: bytes)]) == [.waiting(.signature)])
  }

  @Test func `a signature for another space proves nothing`() throws {
    let commits = team.commits(1, by: team.ben)
    let head = try SignedHead(
      commits[0].id,
      space: .random(),
      membershipHead: team.log.head,
      signedBy: team.ben
    )
    #expect(try verdicts(commits, [head]) == [.waiting(.signature)])
  }

  /// A relay gives ciphertext a later stamp, which makes another commit.
  @Test func `a restamped commit is not signed`() throws {
    let commits = team.commits(1, by: team.ben)
    let restamped = team.commits(1, by: team.ben, milliseconds: 1_799_000_000_000)
    let heads = [try team.signed(commits[0], by: team.ben)]
    #expect(try verdicts(commits + restamped, heads) == [.accepted, .waiting(.signature)])
  }

  @Test mutating func `what a removed device wrote later is void whatever it claims`() throws {
    let commits = team.commits(4, by: team.ben)
    let before = team.log.head
    try team.append(.remove(team.ben.id, accepted: [commits[1].id]), by: team.ana)
    // It signs under the membership in which it was a writer, and states a date from before.
    let heads = [try team.signed(commits[3], by: team.ben, under: before)]
    let backdated = team.commits(
      3,
      by: team.ben,
      above: commits[0].id,
      under: before,
      salt: 7,
      milliseconds: 1_780_000_000_000
    )
    let all = commits + backdated
    let signatures = heads + [try team.signed(backdated[2], by: team.ben, under: before)]
    let expected: [CommitVerdict] =
      [.accepted, .accepted, .void(.removal), .void(.removal)]
      + Array(repeating: .void(.removal), count: 3)
    #expect(try verdicts(all, signatures) == expected)
  }

  @Test mutating func `a removal without accepted heads voids everything`() throws {
    let commits = team.commits(2, by: team.ben)
    let heads = [try team.signed(commits[1], by: team.ben)]
    try team.append(.remove(team.ben.id, accepted: []), by: team.ana)
    #expect(try verdicts(commits, heads) == [.void(.removal), .void(.removal)])
  }

  @Test mutating func `a commit that may be below an absent accepted head waits`() throws {
    let commits = team.commits(3, by: team.ben)
    let heads = [try team.signed(commits[2], by: team.ben)]
    try team.append(.remove(team.ben.id, accepted: [commits[2].id]), by: team.ana)
    let present = Array(commits[..<1])
    #expect(try verdicts(present, heads) == [.waiting(.acceptedHead)])
    #expect(try verdicts(commits, heads) == [.accepted, .accepted, .accepted])
  }

  @Test mutating func `below a checkpoint nothing becomes void`() throws {
    let commits = team.commits(3, by: team.ben)
    let heads = [try team.signed(commits[2], by: team.ben)]
    try team.append(.checkpoint([commits[1].id]), by: team.ana)
    try team.append(.remove(team.ben.id, accepted: []), by: team.ana)
    #expect(try verdicts(commits, heads) == [.accepted, .accepted, .void(.removal)])
  }

  @Test mutating func `a checkpoint after a removal brings nothing back`() throws {
    let commits = team.commits(2, by: team.ben)
    let heads = [try team.signed(commits[1], by: team.ben)]
    try team.append(.remove(team.ben.id, accepted: []), by: team.ana)
    try team.append(.checkpoint([commits[1].id]), by: team.eve)
    #expect(try verdicts(commits, heads) == [.void(.removal), .void(.removal)])
  }

  @Test mutating func `a reader writes nothing that counts`() throws {
    let commits = team.commits(1, by: team.ben)
    let heads = [try team.signed(commits[0], by: team.ben)]
    try team.append(.role(team.ben.id, .reader, accepted: [commits[0].id]), by: team.ana)
    let later = team.commits(1, by: team.ben, above: commits[0].id)
    let signatures = heads + [try team.signed(later[0], by: team.ben)]
    #expect(try verdicts(commits + later, signatures) == [.accepted, .void(.removal)])
  }

  @Test mutating func `a commit names the epoch of the membership that it saw`() throws {
    let old = team.log.head
    try team.beginEpoch(by: team.ana)
    // The old membership with the new epoch, and the other way round.
    let early = team.commits(1, by: team.ben, under: old)
    let late = CommitFacts.made(
      replica: team.replica(of: team.eve),
      above: nil,
      fields: SealedCommitFields(epoch: 1, sealedAuthor: [], membershipHead: team.log.head)
    )
    let heads = [
      try team.signed(early[0], by: team.ben), try team.signed(late, by: team.eve),
    ]
    #expect(try verdicts(early + [late], heads) == [.void(.epoch), .void(.epoch)])
  }

  @Test mutating func `nothing is written between a removal and the next epoch`() throws {
    try team.append(.remove(team.eve.id, accepted: []), by: team.ana)
    let commits = team.commits(1, by: team.ben)
    let heads = [try team.signed(commits[0], by: team.ben)]
    #expect(try verdicts(commits, heads) == [.void(.epoch)])
  }

  @Test func `unknown membership and unknown versions wait`() throws {
    let replica = team.replica(of: team.ben)
    let fields = SealedCommitFields(epoch: 1, sealedAuthor: [], membershipHead: .sha256([9]))
    let strange = CommitFacts.made(replica: replica, above: nil, fields: fields)
    let own = SealedCommitFields(epoch: 1, sealedAuthor: [], membershipHead: team.log.head)
    let newer = CommitFacts.made(replica: replica, above: nil, fields: own, content: .newer)
    let invalid = CommitFacts.made(
      replica: replica,
      above: nil,
      fields: own,
      content: .invalid,
      salt: 2
    )
    let heads = try [strange, newer, invalid].map { try team.signed($0, by: team.ben) }
    let expected: [CommitVerdict] = [
      .waiting(.membership), .waiting(.newerFormat), .void(.content),
    ]
    #expect(try verdicts([strange, newer, invalid], heads) == expected)
  }

  @Test mutating func `an author voids its own commits from the future only`() throws {
    let future = team.commits(1, by: team.ben, milliseconds: 1_799_000_000_000)
    let past = team.commits(1, by: team.ben, salt: 3, milliseconds: 1_700_000_000_000)
    let others = team.commits(1, by: team.eve, milliseconds: 1_799_000_000_000)
    let targets = (future + past + others).map(\.id).sorted()
    let voider = CommitFacts.made(
      replica: team.replica(of: team.ben),
      above: nil,
      fields: SealedCommitFields(
        epoch: 1,
        sealedAuthor: [],
        membershipHead: team.log.head,
        voided: targets
      )
    )
    let heads = try [
      team.signed(future[0], by: team.ben), team.signed(past[0], by: team.ben),
      team.signed(others[0], by: team.eve), team.signed(voider, by: team.ben),
    ]
    let expected: [CommitVerdict] = [.void(.author), .accepted, .accepted, .accepted]
    #expect(try verdicts(future + past + others + [voider], heads) == expected)
    // What is final stays: a checkpoint that has the commit, and not the one that would void it.
    try team.append(.checkpoint([future[0].id]), by: team.ana)
    #expect(try verdicts(future, heads) == [.accepted])
    #expect(try verdicts(future + [voider], heads) == [.accepted, .accepted])
  }

  @Test func `in an open space nothing is void and authorship is proved or not`() throws {
    var team = try SealedTeam(mode: .open)
    let commits = team.commits(3, by: team.ben)
    let heads = [try team.signed(commits[2], by: team.ben)]
    try team.append(.remove(team.ben.id, accepted: [commits[0].id]), by: team.ana)
    let verdicts = try VoidDecision.verdicts(of: commits, heads: heads, log: team.log)
    let expected: [CommitVerdict] = [.accepted, .waiting(.proof), .waiting(.proof)]
    #expect(commits.map { verdicts[$0.id] } == expected)
  }

  @Test(arguments: Seeds.first(12, of: 0..<200))
  func `the order of arrival does not matter`(seed: UInt64) throws {
    let history = try RandomHistory(seed: seed)
    var random = SplitMix64(seed: seed)
    func verdicts(_ commits: [CommitFacts], _ heads: [SignedHead]) throws
      -> [CommitID: CommitVerdict]
    {
      try VoidDecision.verdicts(of: commits, heads: heads, log: history.team.log)
    }
    let expected = try verdicts(history.commits, history.heads)
    for _ in 0..<4 {
      let commits = history.commits.shuffled(using: &random) + history.commits.prefix(3)
      let heads = history.heads.shuffled(using: &random) + history.heads.prefix(3)
      #expect(try verdicts(commits, heads) == expected)
    }
  }

  @Test func `random histories have every verdict`() throws {
    var found: Set<CommitVerdict> = []
    for seed: UInt64 in 0..<24 {
      let history = try RandomHistory(seed: seed)
      let verdicts = try VoidDecision.verdicts(
        of: history.commits,
        heads: history.heads,
        log: history.team.log
      )
      found.formUnion(verdicts.values)
    }
    let expected: Set<CommitVerdict> = [
      .accepted, .waiting(.newerFormat), .waiting(.signature), .waiting(.membership),
      .void(.removal), .void(.role), .void(.epoch), .void(.content), .void(.author),
    ]
    #expect(found.isSuperset(of: expected), "\(expected.subtracting(found))")
  }
}
