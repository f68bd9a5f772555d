import VarveCore

/// What a device may read and write after the last entry of a membership log.
final class MemberView: SealedView {
  let log: MembershipLog
  let keyring: EpochKeyring
  private let keeper: DeviceKeeper?
  /// The epoch in force after each entry.
  private let epochs: [ContentDigest: ContentDigest]
  /// The purged blocks.
  let purged: PurgedBlocks
  private let allPurged: [PurgedBlock]
  /// How far history was folded.
  let horizons: [Horizon]

  init(_ log: MembershipLog, _ keeper: DeviceKeeper?) throws {
    self.log = log
    self.keeper = keeper
    keyring = try keeper.map { try EpochKeyring(opening: log, with: $0.device) } ?? EpochKeyring()
    var epochs: [ContentDigest: ContentDigest] = [:]
    var purged = PurgedBlocks()
    var horizons: [Horizon] = []
    try log.replay { entry, state in
      epochs[entry.hash] = state.epochInForce
      purged.add(entry)
      if case .compact(let horizon) = entry.operation { horizons.append(horizon) }
    }
    self.horizons = horizons
    self.epochs = epochs
    purged.end(with: log.entries)
    self.purged = purged
    allPurged = purged.all
  }

  var space: SpaceID { log.state.space }

  var readsContent: Bool { keeper != nil }

  // MARK: Sealing

  var mayWrite: Bool {
    guard let device = keeper?.device, let role = log.state.role(of: device.id) else {
      return false
    }
    return role >= .writer
  }

  var mayPurge: Bool { keeper.map { log.state.role(of: $0.device.id) == .admin } ?? false }

  func hasEnded(_ replica: ReplicaID) -> Bool { mayWrite && log.state.isClosed(replica) }

  func seal(replica: ReplicaID, sequence: Int64) throws -> any CommitSeal {
    let device = try writer()
    guard let epoch = log.state.epochInForce else {
      throw VarveError(
        .readOnly,
        "nobody writes to the space now: a device was removed, and no epoch began since",
        at: "space \(space)",
        remedy: "Let an admin synchronise, then synchronise this device."
      )
    }
    guard log.state.replicas[replica].map({ $0 == device.id }) ?? true else {
      throw VarveError(
        .forbidden,
        "the replica belongs to another device",
        at: "replica \(replica)",
        remedy: "Make a new store on this device, and join the space with it."
      )
    }
    guard !log.state.isClosed(replica) else {
      throw VarveError(
        .readOnly,
        "what this store writes under its replica id does not count since the device was a reader",
        at: "replica \(replica)",
        remedy: "Synchronise: the store goes on under a new replica id."
      )
    }
    try keeper?.follow(log)
    return EpochSeal(
      key: try keyring.key(for: epoch),
      replica: replica,
      sequence: sequence,
      membershipHead: log.head
    )
  }

  /// Returns the keys of this device, if it may write.
  private func writer() throws -> Signer {
    guard let device = keeper?.device else {
      throw VarveError(
        .forbidden,
        "a relay writes nothing",
        at: "space \(space)",
        remedy: "Write on a device that is a member of the space."
      )
    }
    guard let role = log.state.role(of: device.id), role >= .writer else {
      throw VarveError(
        .forbidden,
        "this device may not write to the space",
        at: "space \(space)",
        remedy: "Ask an admin of the space."
      )
    }
    return device
  }

  func seal(of header: CommitHeader) -> (any CommitSeal)? {
    guard let fields = try? SealedCommitFields(header.extensions, kind: header.kind.rawValue),
      let number = fields.epoch, let head = fields.membershipHead,
      let commitment = epochs[head], let key = try? keyring.key(for: commitment),
      key.number == number
    else { return nil }
    return EpochSeal(
      key: key,
      replica: header.replica,
      sequence: header.sequence,
      membershipHead: head
    )
  }

  // MARK: Purges

  var purgedBlocks: [PurgedBlock] { allPurged }

  /// Returns the blocks of a commit that were purged.
  func purgedBlocks(of commit: CommitID) -> ArraySlice<PurgedBlock> {
    var (low, high) = (0, allPurged.count)
    let first = BlockName(commit: commit, index: 0)
    while low < high {
      let middle = (low + high) / 2
      if allPurged[middle].name < first { low = middle + 1 } else { high = middle }
    }
    return allPurged[low...].prefix { $0.name.commit == commit }
  }

  var hasRoomForPurges: Bool { log.hasRoomForPurges }

  func isLeft(_ digest: ContentDigest, of block: BlockName) -> Bool {
    purged.isLeft(digest, of: block)
  }

  func blocksPurgedTogether(in commit: CommitID) -> [[Int]] { purged.groups(of: commit) }

  func redacts(_ key: PropertyKey) -> Bool {
    purged.entries.contains { entry in
      redactions(in: entry).contains { $0.parts.contains { $0.key == key } }
    }
  }

  /// Returns what the purges of the log redact of some commits, as far as this device can read it.
  func redactions(of commits: Set<CommitID>) -> [Redaction] {
    purged.entries.flatMap { entry -> [Redaction] in
      guard case .redact(let blocks, _) = entry.operation,
        blocks.contains(where: { commits.contains($0.name.commit) })
      else { return [] }
      return redactions(in: entry).filter { commits.contains($0.commit) }
    }
  }

  private func redactions(in entry: MembershipEntry) -> [Redaction] {
    guard let commitment = epochs[entry.previous],
      let key = try? keyring.key(for: commitment),
      let bytes = try? SealedRedaction.open(entry, under: key)
    else { return [] }
    let redactions = try? bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      return try reader.redactions()
    }
    return redactions ?? []
  }

  // MARK: Signatures and verdicts

  func signature(of commit: CommitID) throws -> SealedSignature? {
    guard let device = keeper?.device, log.state.mayWrite(device.id, as: commit.replica) else {
      return nil
    }
    let head = try SignedHead(
      commit,
      space: space,
      membershipHead: log.head,
      signedBy: device
    )
    return SealedSignature(commit: commit, encoded: head.encoded)
  }

  func verdicts(
    of commits: [JudgedCommit],
    signatures: [[UInt8]]
  ) throws -> [CommitID: CommitStanding] {
    let verdicts = try VoidDecision.verdicts(
      of: commits.map(CommitFacts.init),
      heads: signatures.map { try SignedHead(encoded: $0) },
      log: log
    )
    return verdicts.mapValues(CommitStanding.init)
  }

  /// Returns those signed heads that are valid with this log.
  func valid(_ heads: [SignedHead]) throws -> [SignedHead] {
    let heads = Dictionary(grouping: heads, by: \.membershipHead)
    var valid: [SignedHead] = []
    try log.replay { entry, state in
      for head in heads[entry.hash] ?? [] where head.isValid(in: state) { valid.append(head) }
    }
    return valid
  }
}

extension CommitFacts {
  fileprivate init(_ commit: JudgedCommit) {
    let header = commit.header
    var content = commit.isInvalid ? Content.invalid : .valid
    var fields = SealedCommitFields(epoch: nil, sealedAuthor: [], membershipHead: nil)
    do {
      fields = try SealedCommitFields(header.extensions, kind: header.kind.rawValue)
    } catch let error as VarveError where error.code == .newerFormat {
      content = .newer
    } catch {
      content = .invalid
    }
    self.init(
      id: commit.id,
      previous: header.previous,
      time: header.time,
      fields: fields,
      content: content
    )
  }
}

extension CommitStanding {
  fileprivate init(_ verdict: CommitVerdict) {
    switch verdict {
    case .accepted: self = .accepted
    case .waiting(.binding): self = .unbound
    case .waiting(.signature): self = .unsigned
    case .waiting(let reason): self = .waiting("\(reason)")
    case .void(let reason): self = .void("\(reason)")
    }
  }
}
