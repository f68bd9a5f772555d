import Testing
import VarveCore
import VarveSealed

@Suite("A fork of the membership")
struct ForkTests {
  /// Two branches after the same entry: in one, Ana removed Eve; in the other, Eve removed Ben.
  private var own: SealedTeam
  private var other: SealedTeam
  private let common: Int64

  init() throws {
    own = try SealedTeam()
    other = own
    common = Int64(own.log.entries.count) - 1
    try own.append(.remove(own.eve.id, accepted: []), by: own.ana)
    try own.beginEpoch(by: own.ana)
    try other.append(.remove(own.ben.id, accepted: []), by: own.eve)
    try other.beginEpoch(by: own.eve)
    try other.append(.bind(.random()), by: own.eve)
  }

  private var branch: [MembershipEntry] { Array(other.log.entries[(Int(common) + 1)...]) }

  @Test func `nothing is written to a fork`() throws {
    var memory = MembershipMemory(own.log)
    let error = #expect(throws: VarveError.self) { try memory.follow(other.log, own: own.log) }
    #expect(error?.code == .readOnly)
    #expect(error?.remedy?.contains("recovery") == true)
    #expect(memory == MembershipMemory(own.log))
  }

  @Test func `only the recovery key joins it`() throws {
    var team = own
    let join = MembershipOperation.join(JoinedBranch(after: common, branch))
    for signer in [own.ana, own.eve, own.ben] {
      #expect(throws: VarveError.self) { try team.append(join, by: signer) }
    }
    try team.append(join, by: team.recovery.signer)
  }

  @Test func `removals of both branches unite`() throws {
    var team = own
    try team.append(.join(JoinedBranch(after: common, branch)), by: team.recovery.signer)
    let state = team.log.state
    #expect(state.members == [team.ana.id])
    #expect(state.closures.count == 2)
    #expect(state.epochInForce == nil)
    #expect(try MembershipLog(encoded: team.log.encoded).state.members == state.members)
    // Whoever has seen either branch follows.
    for log in [own.log, other.log] {
      var memory = MembershipMemory(log)
      try memory.follow(team.log)
      #expect(memory.head == team.log.head)
    }
    // The recovery key has the keys of both branches, and the next epoch seals both.
    team.keyring = try EpochKeyring(opening: team.log, with: team.recovery.signer)
    #expect(team.keyring.count == 3)
    try team.beginEpoch(by: team.recovery.signer)
    #expect(try EpochKeyring(opening: team.log, with: team.ana).count == 4)
    #expect(team.log.state.epochNumber == 3)
  }

  @Test func `what a removed device wrote is void whichever branch removed it`() throws {
    var team = own
    let head = try #require(other.log.entries.first { $0.number == common }).hash
    let commits =
      team.commits(1, by: team.ben, under: head) + team.commits(1, by: team.eve, under: head)
    let signatures = [
      try team.signed(commits[0], by: team.ben, under: head),
      try team.signed(commits[1], by: team.eve, under: head),
    ]
    try team.append(.join(JoinedBranch(after: common, branch)), by: team.recovery.signer)
    let verdicts = try VoidDecision.verdicts(of: commits, heads: signatures, log: team.log)
    #expect(commits.allSatisfy { verdicts[$0.id] == .void(.removal) })
  }

  /// Eve, who was removed, makes a branch together with the relay: she adds a device of her own, binds
  /// another replica, and makes a checkpoint of what she wrote.
  @Test func `a removed admin comes back by no branch`() throws {
    var team = own
    var other = other
    let guest = try Signer.newDevice()
    let (again, guests) = (ReplicaID.random(), ReplicaID.random())
    let hers = other.commits(2, by: other.eve)
    try other.append(
      other.log.adding(guest.publicKeys, as: .admin, with: other.keyring),
      by: other.eve
    )
    try other.append(.bind(again), by: other.eve)
    try other.append(.bind(guests), by: guest)
    try other.append(.checkpoint([hers[1].id]), by: other.eve)
    let fields = SealedCommitFields(
      epoch: other.log.state.epochNumber,
      sealedAuthor: [],
      membershipHead: other.log.head
    )
    let made = [again, guests].map { CommitFacts.made(replica: $0, above: nil, fields: fields) }
    let later = CommitFacts.made(replica: guests, above: made[1].id, fields: fields)
    let heads = [
      try other.signed(hers[1], by: other.eve), try other.signed(made[0], by: other.eve),
      try other.signed(later, by: guest),
    ]
    let commits = hers + made + [later]
    let branch = Array(other.log.entries[(Int(common) + 1)...])
    var accepting = team
    try team.append(.join(JoinedBranch(after: common, branch)), by: team.recovery.signer)
    #expect(team.log.state.members == [team.ana.id])
    let verdicts = try VoidDecision.verdicts(of: commits, heads: heads, log: team.log)
    #expect(commits.map { verdicts[$0.id] } == Array(repeating: .void(.removal), count: 5))
    // The recovery key may accept what the added device wrote, and of no other.
    let join = JoinedBranch(after: common, accepted: [made[1].id], branch)
    try accepting.append(.join(join), by: team.recovery.signer)
    let others = try VoidDecision.verdicts(of: commits, heads: heads, log: accepting.log)
    #expect(others[made[1].id] == .accepted && others[later.id] == .void(.removal))
    for head in [made[0].id, hers[0].id] {
      var refusing = own
      let join = JoinedBranch(after: common, accepted: [head], branch)
      #expect(throws: VarveError.self) {
        try refusing.append(.join(join), by: team.recovery.signer)
      }
      #expect(refusing.log.state.members == own.log.state.members)
    }
  }

  @Test func `of two roles the lower counts`() throws {
    var team = try SealedTeam()
    var other = team
    let common = Int64(team.log.entries.count) - 1
    try team.append(.role(team.ben.id, .admin, accepted: []), by: team.ana)
    try other.append(.role(team.ben.id, .reader, accepted: []), by: team.ana)
    let branch = Array(other.log.entries[(Int(common) + 1)...])
    try team.append(.join(JoinedBranch(after: common, branch)), by: team.recovery.signer)
    #expect(team.log.state.role(of: team.ben.id) == .reader)
  }

  @Test func `a joined branch must be valid and another one`() throws {
    var team = own
    var forged = branch
    forged.swapAt(0, 1)
    let joins: [MembershipOperation] = [
      .join(JoinedBranch(after: common, forged)),
      .join(JoinedBranch(after: common, [])),
      .join(JoinedBranch(after: common - 1, branch)),
      .join(JoinedBranch(after: common + 1, branch)),
      .join(JoinedBranch(after: 1_000, branch)),
      .join(JoinedBranch(after: common, Array(own.log.entries[(Int(common) + 1)...]))),
    ]
    for join in joins {
      let before = team.log.encoded
      #expect(throws: VarveError.self) { try team.append(join, by: team.recovery.signer) }
      #expect(team.log.encoded == before)
    }
  }

  @Test func `joins stand in one another only so deep`() throws {
    var deepest = try SealedTeam()
    let common = Int64(deepest.log.entries.count) - 1
    let base = deepest
    var isRefused = false
    for _ in 0..<6 where !isRefused {
      var outer = base
      try outer.append(.bind(.random()), by: outer.ana)
      try deepest.append(.bind(.random()), by: deepest.ana)
      let branch = Array(deepest.log.entries[(Int(common) + 1)...])
      do {
        try outer.append(.join(JoinedBranch(after: common, branch)), by: outer.recovery.signer)
      } catch let error as VarveError {
        #expect(error.message.contains("deep"))
        isRefused = true
      }
      deepest = outer
    }
    #expect(isRefused)
  }
}
