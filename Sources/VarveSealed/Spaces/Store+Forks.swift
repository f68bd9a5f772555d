import VarveCore
public import VarveEntities

extension Store {
  /// Joins another branch of the membership with this one, after a fork.
  ///
  /// Where a home went back to an earlier state and went on from there, some devices have one branch of
  /// the membership, and some another; they refuse each other. Join them in the store of a member whose
  /// branch you trust: it takes what the other branch ended (removals, lower roles, used invitations),
  /// and nothing that it permitted. A device that only the other branch added is removed: what it wrote
  /// counts as far as the other store has it, and it needs new keys to be added again. A new epoch
  /// begins. If no admin is left, this device becomes one. The membership is ordered here from now on,
  /// until this store meets a relay that orders it.
  ///
  /// Synchronise first with the other members of the trusted branch, and afterwards with all: whoever
  /// has the other branch takes the joined one.
  ///
  /// ```swift
  /// try await store.joinBranch(of: other, recoveryKey: printedKey)
  /// ```
  ///
  /// - Parameters:
  ///   - other: a store that has the other branch: a member's or a relay's.
  ///   - recoveryKey: the recovery key of the space, as ``sealSpace()`` printed it.
  /// - Throws: `VarveError`: `invalidArgument` if the key has a mistake, or there is no fork; `wrongKey`
  ///   for the key of another space; `forbidden` for another space, a store that is no member's, or if
  ///   the other branch removed this device;
  ///   `newerFormat` for a store that was opened without a seal; `busy`, `inputOutput`.
  public func joinBranch(of other: Store, recoveryKey: String) async throws {
    let (sealing, keeper) = try member("join branches")
    let recovery = try RecoveryKey(printed: recoveryKey).signer
    _ = try other.sealing("give its membership")
    let branch = try await Branch(of: other)
    let log = try await sharedLog().atDesk { desk in
      guard let view = try sealing.memberView(at: desk) else { throw Self.belongsToNone }
      let joined = try Self.joined(
        view.log,
        branch,
        recovery,
        by: keeper.device.id,
        sealing.milliseconds()
      )
      let new = joined.entries.dropFirst(view.log.entries.count).map(\.encoded)
      try keeper.verify(joined)
      try desk.add(Array(new))
      try desk.setHome(true)
      try desk.settle()
      try Self.unitePurges(view, branch.log, sealing, desk)
      return try sealing.memberView(at: desk)?.log ?? joined
    }
    try keeper.remember(log)
  }

  /// Purges blocks that both branches purged once more, so that what is left lacks the cells of both.
  private static func unitePurges(
    _ own: MemberView,
    _ branch: MembershipLog,
    _ sealing: DeviceSealing,
    _ desk: any SealedDesk
  ) throws {
    var named: Set<BlockName> = []
    for entry in branch.entries where !own.log.contains(entry.hash) {
      if case .redact(let blocks, _) = entry.operation { named.formUnion(blocks.map(\.name)) }
    }
    let both = own.purgedBlocks.map(\.name).filter(named.contains)
    guard !both.isEmpty, let joined = try sealing.memberView(at: desk) else { return }
    let redactions = joined.redactions(of: Set(both.map(\.commit)))
    let intent = MembershipIntent.purge(redactions)
    try desk.keep(.intent, id: DeviceSealing.letterID(), intent.encoded)
    try sealing.actAtHome(desk)
  }

  /// The membership log of another store, and its newest commits.
  private struct Branch: Sendable {
    let log: MembershipLog
    /// The newest commits that it has of each replica.
    let heads: [CommitID]

    init(of store: Store) async throws {
      (log, heads) = try await store.readableLog().readingDesk { desk in
        let entries = try desk.entries
        guard !entries.isEmpty else { throw Store.belongsToNone }
        let log = try MembershipLog(encoded: Array(entries.joined()))
        return (log, try desk.acceptedHeads(of: Set(log.state.replicas.keys)))
      }
    }
  }

  /// Returns a log with a branch that it lacks, and with the epoch that begins after it.
  private static func joined(
    _ own: MembershipLog,
    _ branch: Branch,
    _ recovery: Signer,
    by device: DeviceID,
    _ milliseconds: Int64
  ) throws -> MembershipLog {
    let theirs = branch.log
    guard own.state.space == theirs.state.space, own.state.genesis == theirs.state.genesis else {
      throw otherSpace
    }
    guard recovery.id == own.state.recovery.id else { throw wrongRecoveryKey }
    guard !own.contains(theirs.head), !theirs.contains(own.head) else { throw hasNotForked }
    let common = zip(own.entries, theirs.entries).prefix { $0.hash == $1.hash }.count
    let newcomers = Set(theirs.state.devices.keys).subtracting(own.state.devices.keys)
    let accepted = branch.heads.filter { head in
      own.state.replicas[head.replica] == nil
        && theirs.state.replicas[head.replica].map(newcomers.contains) ?? false
    }
    var log = own
    try log.append(
      .join(
        JoinedBranch(
          after: Int64(common) - 1,
          accepted: accepted.sorted(),
          Array(theirs.entries[common...])
        )
      ),
      milliseconds: milliseconds,
      signedBy: recovery
    )
    guard log.state.role(of: device) != nil else { throw isRemovedByBranch }
    if !log.state.hasAdmin { try log.makeAdmin(device, milliseconds, recovery) }
    try log.beginEpoch(milliseconds, recovery)
    return log
  }

  private static var isRemovedByBranch: VarveError {
    VarveError(
      .forbidden,
      "the other branch removed this device, and it would be none of the members",
      at: "space",
      remedy: "Join the branches in the store of a device that neither branch removed."
    )
  }

  static var belongsToNone: VarveError {
    VarveError(
      .forbidden,
      "a store belongs to no space yet",
      at: "space",
      remedy: "Name stores that have the branches of one space."
    )
  }

  private static var otherSpace: VarveError {
    VarveError(
      .forbidden,
      "the stores belong to different spaces",
      at: "space",
      remedy: "Name a store of the same space."
    )
  }

  static var wrongRecoveryKey: VarveError {
    VarveError(
      .wrongKey,
      "the recovery key is that of another space",
      at: "recovery key",
      remedy: "Use the key that was printed when this space was sealed."
    )
  }

  private static var hasNotForked: VarveError {
    VarveError(
      .invalidArgument,
      "the membership has not forked: one store has all that the other has",
      at: "space",
      remedy: "Synchronise them."
    )
  }
}
