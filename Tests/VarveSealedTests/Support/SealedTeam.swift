import VarveCore
import VarveSealed
import VarveTestSupport

/// A sealed space with three devices, one replica each, and an epoch.
struct SealedTeam {
  let space: SpaceID
  let recovery: RecoveryKey
  /// An admin, the creator.
  let ana: Signer
  /// A writer.
  let ben: Signer
  /// An admin.
  let eve: Signer
  let replicas: [DeviceID: ReplicaID]
  var log: MembershipLog
  var keyring = EpochKeyring()
  /// The time that entries state.
  var milliseconds: Int64 = 1_790_000_000_000

  init(mode: SpaceMode = .sealed) throws {
    space = SpaceID.random()
    recovery = try RecoveryKey()
    (ana, ben, eve) = (try .newDevice(), try .newDevice(), try .newDevice())
    replicas = [ana.id: .random(), ben.id: .random(), eve.id: .random()]
    log = try MembershipLog(
      of: space,
      mode: mode,
      creator: ana,
      recovery: recovery.signer.publicKeys,
      milliseconds: milliseconds
    )
    if mode == .sealed { try beginEpoch(by: ana) }
    try append(log.adding(ben.publicKeys, as: .writer, with: keyring), by: ana)
    try append(log.adding(eve.publicKeys, as: .admin, with: keyring), by: ana)
    for device in [ana, ben, eve] { try append(.bind(replica(of: device)), by: device) }
  }

  func replica(of device: Signer) -> ReplicaID {
    replicas[device.id] ?? ReplicaID(high: 0, low: 0)
  }

  @discardableResult
  mutating func append(
    _ operation: MembershipOperation,
    by signer: Signer
  ) throws -> MembershipEntry {
    milliseconds += 1
    return try log.append(operation, milliseconds: milliseconds, signedBy: signer)
  }

  @discardableResult
  mutating func beginEpoch(by admin: Signer) throws -> EpochKey {
    let (operation, key) = try log.nextEpoch(with: keyring)
    try append(operation, by: admin)
    keyring.add(key)
    return key
  }

  /// The key of the epoch in force.
  var epochKey: EpochKey {
    get throws { try keyring.key(for: log.state.epochInForce ?? .zero) }
  }

  /// Returns commits of a device, each above the other.
  func commits(
    _ count: Int,
    by device: Signer,
    above previous: CommitID? = nil,
    under membershipHead: ContentDigest? = nil,
    salt: UInt8 = 0,
    milliseconds: Int64 = 1_790_000_000_000
  ) -> [CommitFacts] {
    var commits: [CommitFacts] = []
    var previous = previous
    for _ in 0..<count {
      let commit = CommitFacts.made(
        replica: previous?.replica ?? replica(of: device),
        above: previous,
        milliseconds: milliseconds,
        fields: SealedCommitFields(
          epoch: log.state.mode == .sealed ? log.state.epochNumber : nil,
          sealedAuthor: [],
          membershipHead: membershipHead ?? log.head
        ),
        salt: salt
      )
      commits.append(commit)
      previous = commit.id
    }
    return commits
  }

  /// Returns a device's signature of a commit.
  func signed(
    _ commit: CommitFacts?,
    by device: Signer,
    under membershipHead: ContentDigest? = nil
  ) throws -> SignedHead {
    try SignedHead(
      commit?.id ?? CommitID(replica: .random(), sequence: 1, hash: .zero),
      space: space,
      membershipHead: membershipHead ?? log.head,
      signedBy: device
    )
  }
}

extension CommitFacts {
  /// Returns a commit whose hash depends on everything about it.
  static func made(
    replica: ReplicaID,
    above previous: CommitID?,
    milliseconds: Int64 = 1_790_000_000_000,
    fields: SealedCommitFields,
    content: Content = .valid,
    salt: UInt8 = 0
  ) -> CommitFacts {
    let sequence = (previous?.sequence ?? 0) + 1
    var writer = ByteWriter()
    writer.replica(replica)
    writer.varint(UInt64(sequence))
    writer.digest(previous?.hash ?? .zero)
    writer.fixed(UInt64(milliseconds))
    for field in fields.extensions { writer.counted(field.bytes) }
    writer.byte(salt)
    return CommitFacts(
      id: CommitID(replica: replica, sequence: sequence, hash: .sha256(writer.bytes)),
      previous: previous?.hash ?? .zero,
      time: HybridTime(rawValue: (milliseconds + sequence) << 16),
      fields: fields,
      content: content
    )
  }
}
