import VarveCore
import VarveSealed
import VarveTestSupport

/// A random history of a sealed space: a membership log with removals, demotions, checkpoints, forks and
/// joins, commits of honest and of removed devices, and their signatures.
struct RandomHistory {
  private(set) var team: SealedTeam
  private(set) var commits: [CommitFacts] = []
  private(set) var heads: [SignedHead] = []
  private var random: SplitMix64
  private var devices: [Signer]
  /// The replicas of each device, newest last.
  private var replicas: [DeviceID: [ReplicaID]]

  init(seed: UInt64, steps: Int = 40) throws {
    random = SplitMix64(seed: seed)
    team = try SealedTeam()
    devices = [team.ana, team.ben, team.eve]
    replicas = team.replicas.mapValues { [$0] }
    for _ in 0..<steps { try step() }
  }

  private mutating func step() throws {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<9: try write()
    case 9..<12: try sign()
    case 12: try add()
    case 13: try removeOrDemote()
    case 14: try bind()
    case 15: try promote()
    case 16: try checkpoint()
    case 17: try voidOwn()
    case 18: try forkAndJoin()
    default: try beginEpochIfNeeded()
    }
  }

  /// Writes on a random chain, also of removed devices, at its end or beside it.
  private mutating func write(voiding voided: [CommitID] = [], by author: Signer? = nil) throws {
    let device = author ?? random.pick(devices)
    guard let replica = replicas[device.id].map({ random.pick($0) }) else { return }
    let own = commits.filter { $0.id.replica == replica }
    let previous = random.chance(10) ? own.randomElement(using: &random) : own.last
    let entry = random.chance(70) ? team.log.head : random.pick(team.log.entries).hash
    let epoch = team.log.state.epochNumber - (random.chance(15) ? 1 : 0)
    commits.append(
      .made(
        replica: replica,
        above: previous?.id,
        milliseconds: 1_790_000_000_000 + Int64.random(in: 0..<50, using: &random),
        fields: SealedCommitFields(
          epoch: random.chance(95) ? epoch : nil,
          sealedAuthor: [],
          membershipHead: random.chance(95) ? entry : random.chance(50) ? nil : .sha256([1]),
          voided: voided
        ),
        content: random.chance(95) ? .valid : random.chance(50) ? .invalid : .newer,
        salt: UInt8.random(in: 0...255, using: &random)
      )
    )
  }

  /// Signs a random commit, now and then as another device or under an old membership.
  private mutating func sign() throws {
    guard let commit = commits.randomElement(using: &random) else { return }
    let owner = devices.first { replicas[$0.id]?.contains(commit.id.replica) ?? false }
    guard let owner else { return }
    let signer = random.chance(90) ? owner : random.pick(devices)
    let entry = random.chance(70) ? team.log.head : random.pick(team.log.entries).hash
    heads.append(try team.signed(commit, by: signer, under: entry))
  }

  private mutating func add() throws {
    let device = try Signer.newDevice()
    try team.append(
      team.log.adding(device.publicKeys, as: random.pick([.writer, .admin]), with: team.keyring),
      by: team.ana
    )
    devices.append(device)
    replicas[device.id] = []
    try bind(device)
  }

  private mutating func bind(_ device: Signer? = nil) throws {
    let device = device ?? random.pick(devices)
    guard let role = team.log.state.role(of: device.id), role >= .writer else { return }
    let replica = ReplicaID.random(using: &random)
    try team.append(.bind(replica), by: device)
    replicas[device.id, default: []].append(replica)
  }

  /// Some commits of a device, one a replica, as its accepted heads.
  private mutating func someHeads(of device: Signer) -> [CommitID] {
    let own = Set(team.log.state.replicas.filter { $0.value == device.id }.keys)
    return own.sorted().compactMap { replica in
      commits.filter { $0.id.replica == replica }.randomElement(using: &random)?.id
    }.sorted()
  }

  private mutating func removeOrDemote() throws {
    let device = random.pick(devices)
    guard device.id != team.ana.id, let role = team.log.state.role(of: device.id) else { return }
    let accepted = someHeads(of: device)
    if role != .reader, random.chance(40) {
      try team.append(.role(device.id, .reader, accepted: accepted), by: team.ana)
    } else {
      try team.append(.remove(device.id, accepted: accepted), by: team.ana)
    }
  }

  private mutating func promote() throws {
    for device in devices where team.log.state.role(of: device.id) == .reader {
      try team.append(.role(device.id, .writer, accepted: []), by: team.ana)
      try bind(device)
    }
  }

  private mutating func checkpoint() throws {
    let bound = commits.filter { team.log.state.replicas[$0.id.replica] != nil }
    guard let head = bound.randomElement(using: &random) else { return }
    try team.append(.checkpoint([head.id]), by: team.ana)
  }

  private mutating func voidOwn() throws {
    let device = random.pick(devices)
    let own = commits.filter { replicas[device.id]?.contains($0.id.replica) ?? false }
    guard let target = own.randomElement(using: &random) else { return }
    try write(voiding: [target.id], by: random.chance(90) ? device : nil)
  }

  private mutating func beginEpochIfNeeded() throws {
    if team.log.state.epochInForce == nil || random.chance(30) {
      try team.beginEpoch(by: team.ana)
    }
  }

  /// Lets the home go back, go on without its last entries, and joins both branches.
  private mutating func forkAndJoin() throws {
    var other = team
    let common = Int64(team.log.entries.count) - 1
    try removeOrDemote()
    try checkpoint()
    other.keyring = team.keyring
    // The same operation at the same time would be the same entry.
    other.milliseconds += 1_000
    swap(&team, &other)
    try removeOrDemote()
    try add()
    let newcomer = devices.last
    try bind()
    try beginEpochIfNeeded()
    for _ in 0..<6 { try write() }
    for _ in 0..<4 { try sign() }
    try checkpoint()
    let accepted = newcomer.map { someHeads(of: $0) } ?? []
    swap(&team, &other)
    let branch = Array(other.log.entries[(Int(common) + 1)...])
    guard Int64(team.log.entries.count) - 1 > common, !branch.isEmpty else { return }
    let join = JoinedBranch(after: common, accepted: random.chance(50) ? accepted : [], branch)
    try team.append(.join(join), by: team.recovery.signer)
    team.keyring = try EpochKeyring(opening: team.log, with: team.ana)
    try team.beginEpoch(by: team.ana)
  }
}
