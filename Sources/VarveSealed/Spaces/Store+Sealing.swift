import VarveCore
public import VarveEntities

extension Store {
  /// Seals the space of a store without commits: from now on everything that it writes is encrypted and
  /// signed before it leaves this device. This device becomes the first admin.
  ///
  /// - Returns: the recovery key as it is printed. It reads the space and outranks admins; it is shown
  ///   once, and kept nowhere.
  /// - Throws: `VarveError`: `unsupported` if the store has commits, because an open history cannot be
  ///   sealed; `invalidArgument` if it belongs to a sealed space already; `newerFormat` if it was opened
  ///   without ``Store/Configuration/seal``; `readOnly`, `busy`, `inputOutput`.
  public func sealSpace() async throws -> String {
    let (sealing, keeper) = try member("seal a space")
    let recovery = try RecoveryKey()
    let log = try await sealedLog().atDesk { desk in
      guard try desk.entries.isEmpty else { throw Self.isSealed }
      guard try desk.isEmpty else { throw Self.hasOpenHistory }
      var log = try MembershipLog(
        of: desk.space,
        mode: .sealed,
        creator: keeper.device,
        recovery: recovery.signer.publicKeys,
        milliseconds: sealing.milliseconds()
      )
      try desk.setKind(.member)
      try desk.add([log.entries[0].encoded])
      try desk.setHome(true)
      // The first epoch, and the binding of this replica.
      try sealing.actAtHome(desk)
      log = try sealing.memberView(at: desk)?.log ?? log
      return log
    }
    try keeper.keep(MembershipMemory(log))
    return recovery.printed
  }

  /// Makes an invitation.
  ///
  /// Whoever has the code can join once, until the end. Give it to the new member over another channel
  /// than the relay. The device of this store takes the request: at its next synchronisation, or at one
  /// of the new member with it.
  ///
  /// - Parameters:
  ///   - role: what the new member may do.
  ///   - duration: for how long the invitation can be used.
  /// - Returns: the code.
  /// - Throws: `VarveError`: `forbidden` if this device is no admin; `newerFormat`, `inputOutput`.
  public func invite(
    _ role: MemberRole,
    for duration: Duration = .seconds(7 * 86_400)
  ) async throws -> String {
    let (sealing, keeper) = try member("invite")
    return try await sealedLog().atDesk { desk in
      let view = try Self.admin(sealing, keeper, desk)
      let invitation = Invitation(role: role)
      let now = sealing.milliseconds()
      let end = now + duration.components.seconds * 1_000
      let others = try keeper.invitations(to: view.space)
      try keeper.keep(
        others + [OpenInvitation(invitation, end: end)],
        to: view.space,
        milliseconds: now
      )
      return invitation.code
    }
  }

  /// Begins to join a space with a store without commits. The store belongs to the space once it has
  /// synchronised, the inviting device has, and it has synchronised again; with the inviting device
  /// itself, after one synchronisation.
  ///
  /// - Throws: `VarveError`: `invalidArgument` for a code with a mistake, or if the store belongs to a
  ///   space already; `unsupported` if it has commits; `newerFormat`, `inputOutput`.
  public func join(_ code: String) async throws {
    let (_, keeper) = try member("join")
    let invitation = try Invitation(code: code)
    try await sealedLog().atDesk { desk in
      guard try desk.entries.isEmpty else { throw Self.isSealed }
      guard try desk.isEmpty else { throw Self.hasOpenHistory }
      try desk.setKind(.member)
      try keeper.keep(.init(invitation: invitation), at: desk.space)
    }
  }

  /// Returns the devices of the space, removed ones too, in order of their ids.
  ///
  /// - Throws: `VarveError`: `newerFormat` if the store was opened without
  ///   ``Store/Configuration/seal``; `closed`, `busy`.
  public func members() async throws -> [SpaceMember] {
    let sealing = try sealing("list members")
    return try await readableLog().readingDesk { desk in
      guard let view = try sealing.memberView(at: desk) else { return [] }
      let state = view.log.state
      return state.devices.keys.sorted().map {
        SpaceMember($0, state, isThisDevice: $0 == sealing.keeper?.device.id)
      }
    }
  }

  /// Returns what this store knows of its space.
  ///
  /// - Throws: as ``members()``.
  public func membership() async throws -> SpaceMembership {
    let sealing = try sealing("read the membership")
    return try await readableLog().readingDesk { desk in
      let view = try sealing.memberView(at: desk)
      return SpaceMembership(
        space: view?.space,
        role: sealing.keeper.flatMap { view?.log.state.role(of: $0.device.id) },
        isHome: try desk.isHome,
        hasEpoch: view?.log.state.epochInForce != nil,
        pendingChangeCount: try desk.letters(.intent).count
      )
    }
  }

  /// Removes a device: what it wrote counts as far as it is here, nothing that it writes later does, and
  /// a new epoch begins, whose key it does not get.
  ///
  /// At the home of the membership this takes effect at once; elsewhere with the next synchronisation
  /// with the home.
  ///
  /// - Parameter id: the device, as in ``SpaceMember/id``.
  /// - Throws: `VarveError`: `forbidden` if this device is no admin, or the device is the only one;
  ///   `notFound` if no member has the id; `newerFormat`, `busy`, `inputOutput`.
  public func removeMember(_ id: String) async throws {
    try await change("remove a member", of: id) { .remove($0) }
  }

  /// Gives a device another role, as ``removeMember(_:)`` does. What a device wrote counts as far as it is
  /// here if it becomes a reader.
  ///
  /// - Throws: as ``removeMember(_:)``.
  public func setRole(_ role: MemberRole, of id: String) async throws {
    try await change("change a role", of: id) { .role($0, role) }
  }

  /// Begins a new epoch: what is written from then on is encrypted under a new key.
  ///
  /// - Throws: `VarveError`: `forbidden` if this device is no admin; `newerFormat`, `busy`.
  public func rotateEpoch() async throws {
    try await change("begin an epoch", of: nil) { _ in .rotate }
  }

  /// Returns the commits of a sealed space that do not count, in order of their ids (R29).
  ///
  /// - Throws: `VarveError`: `closed`.
  /// - Complexity: O(commits that do not count).
  public func uncountedCommits() async throws -> [UncountedCommit] {
    try await backend.standings().sorted { $0.key < $1.key }
      .compactMap { UncountedCommit($0.key, $0.value) }
  }
}

extension Store {
  func sealing(_ what: String) throws -> DeviceSealing {
    try refuseInsideOwnWrite(what)
    guard let sealing = configuration.seal?.sealing else { throw VarveError.sealingIsMissing }
    return sealing
  }

  func member(_ what: String) throws -> (DeviceSealing, DeviceKeeper) {
    let sealing = try sealing(what)
    guard let keeper = sealing.keeper else { throw Self.isRelay(what) }
    return (sealing, keeper)
  }

  private func sealedLog() throws -> any CommitLog { try sharedLog() }

  /// Returns what this device sees of the space, if it is an admin.
  private static func admin(
    _ sealing: DeviceSealing,
    _ keeper: DeviceKeeper,
    _ desk: any SealedDesk
  ) throws -> MemberView {
    guard let view = try sealing.memberView(at: desk),
      view.log.state.role(of: keeper.device.id) == .admin
    else {
      throw VarveError(
        .forbidden,
        "this device is no admin of a space",
        at: "space",
        remedy: "Let an admin of the space do it."
      )
    }
    return view
  }

  private func change(
    _ what: String,
    of id: String?,
    _ intent: @Sendable (DeviceID) -> MembershipIntent
  ) async throws {
    let (sealing, keeper) = try member(what)
    try await sealedLog().atDesk { desk in
      let view = try Self.admin(sealing, keeper, desk)
      let device = id.map { ContentDigest(hexadecimal: $0).map(DeviceID.init) } ?? keeper.device.id
      guard let device, view.log.state.role(of: device) != nil else {
        throw VarveError(
          .notFound,
          "no member of the space has this id",
          at: "device \((id ?? "").logged)",
          remedy: "List the members."
        )
      }
      let intent = intent(device)
      if intent.endsAdmin(device), view.log.state.isOnlyAdmin(device) { throw Self.isLastAdmin }
      try desk.keep(.intent, id: DeviceSealing.letterID(), intent.encoded)
      try sealing.actAtHome(desk)
    }
  }

  private static var isLastAdmin: VarveError {
    VarveError(
      .forbidden,
      "the device is the only admin of the space, and nobody could change the membership after it",
      at: "space",
      remedy: "Make another device an admin first."
    )
  }

  private static var isSealed: VarveError {
    VarveError(
      .invalidArgument,
      "the store belongs to a sealed space already",
      at: "space",
      remedy: "Use a new store for another space."
    )
  }

  private static var hasOpenHistory: VarveError {
    VarveError(
      .unsupported,
      "a store that has commits cannot be sealed: its history was written in the open",
      at: "space",
      remedy: "Seal a new store, and import into it what this one has."
    )
  }

  static func isRelay(_ what: String) -> VarveError {
    VarveError(
      .forbidden,
      "a relay has no keys, and cannot \(what)",
      at: "space",
      remedy: "Do it on a device that is a member of the space."
    )
  }
}
