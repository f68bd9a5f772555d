import VarveCore

// How a store that belongs to no space yet takes the membership of one, and how a relay becomes the home.
extension Correspondence {
  /// Takes the other side's log, if this store belongs to no space yet.
  mutating func meet(_ letter: SealedLetter, _ desk: any SealedDesk) throws {
    guard letter.summary.entryCount > 0 else { return }
    try keepConfirmation(in: letter, desk)
    if letter.firstEntry == 0, !letter.entries.isEmpty { shown = letter.entries }
    guard Int64(shown.count) == letter.summary.entryCount else { return }
    guard try desk.isEmpty else { throw Self.hasHistory }
    let log = try MembershipLog(encoded: Array(shown.joined()))
    guard log.state.mode == .sealed else { throw StrictReading.newer("a space is open and signed") }
    guard let keeper = sealing.keeper else { return try beginRelay(letter.summary, log, desk) }
    let place = try desk.space
    let isKnown = log.state.devices[keeper.device.id] != nil
    guard var joining = try keeper.joining(at: place) else {
      if isKnown { throw Self.hasOtherStore }
      return
    }
    if isKnown, !log.state.usedInvitations.contains(joining.invitation.id) {
      throw Self.hasOtherStore
    }
    if let request = joining.request, request.terms.space == log.state.space {
      try accept(log, joining, request, keeper, desk)
    } else {
      let request = try JoinRequest(joining.invitation, shown: log, device: keeper.device)
      joining.request = request
      try keeper.keep(joining, at: place)
      try desk.keep(.request, id: joining.invitation.id, request.encoded)
    }
  }

  /// Gives a relay its first membership.
  private mutating func beginRelay(
    _ peer: SealedLetter.Summary,
    _ log: MembershipLog,
    _ desk: any SealedDesk
  ) throws {
    guard mayBegin else { throw Self.mayNotBegin }
    if try desk.kind == .relay, try desk.space != log.state.space {
      throw Self.otherSpace(log.state.space)
    }
    guard !isMeeting || peer.isHome || peer.isRelay else { throw Self.mustMeetHome }
    try desk.setKind(.relay)
    try adopt(log, desk)
    try becomeHome(after: peer, log, desk)
  }

  /// Makes a relay, which all others meet, the home after the member's store that was it.
  func becomeHome(
    after peer: SealedLetter.Summary,
    _ log: MembershipLog,
    _ desk: any SealedDesk
  ) throws {
    guard isMeeting, sealing.keeper == nil, peer.isHome, !peer.isRelay, log.head == peer.head else {
      return
    }
    try desk.setHome(true)
  }

  /// Keeps the confirmation that this store waits for. It may come before the log that it is about.
  private func keepConfirmation(in letter: SealedLetter, _ desk: any SealedDesk) throws {
    guard let id = try sealing.keeper?.joining(at: desk.space)?.invitation.id else { return }
    for enclosure in letter.enclosures where enclosure.kind == .confirmation && enclosure.id == id {
      try desk.keep(.confirmation, id: id, enclosure.content)
    }
  }

  /// Joins the space if the admin's confirmation is here.
  private mutating func accept(
    _ log: MembershipLog,
    _ joining: DeviceKeeper.Joining,
    _ request: JoinRequest,
    _ keeper: DeviceKeeper,
    _ desk: any SealedDesk
  ) throws {
    let id = joining.invitation.id
    let letter = try desk.letters(.confirmation).first { $0.id == id }
    guard let content = letter?.content else { return }
    let confirmation = try JoinConfirmation(encoded: content)
    guard log.contains(confirmation.terms.membershipHead) else { return }
    guard confirmation.terms.keys == request.terms.keys else { throw Self.isUsed }
    let memory = try confirmation.accept(joining.invitation, request: request, log: log)
    let place = try desk.space
    try adopt(log, desk)
    try keeper.keep(memory)
    joinedFrom = place
    try desk.remove(.request, id: id)
    try desk.remove(.confirmation, id: id)
  }

  private mutating func adopt(_ log: MembershipLog, _ desk: any SealedDesk) throws {
    try desk.adopt(log.state.space)
    // The other side chose where its parts begin and end.
    try desk.add(log.entries.map(\.encoded))
    shown = []
    hasLog = true
  }
}

extension Correspondence {
  static func otherSpace(_ space: SpaceID) -> VarveError {
    VarveError(
      .forbidden,
      "the other store belongs to another space",
      at: "space \(space)",
      remedy: "Synchronise with a store of the same space."
    )
  }

  private static var mayNotBegin: VarveError {
    VarveError(
      .forbidden,
      "the relay has no membership yet, and only an admin may give it one",
      at: "space",
      remedy: "Let who made the relay synchronise with it first."
    )
  }

  private static var mustMeetHome: VarveError {
    VarveError(
      .forbidden,
      "the relay has no membership yet, and takes it only from the store that orders it now",
      at: "space",
      remedy:
        "Synchronise the home with the relay first: the store whose membership says that it is the "
        + "home. If that is a relay already, the space needs no second one."
    )
  }

  private static var hasOtherStore: VarveError {
    VarveError(
      .forbidden,
      "the keys are those of a device that is or was in the space, with another store",
      at: "space",
      remedy:
        "Use that store, or make other keys, and join with a new invitation. If that store was "
        + "lost, join with the code by which its device was added."
    )
  }

  private static var isUsed: VarveError {
    VarveError(
      .forbidden,
      "the invitation was used by another device",
      at: "invitation",
      remedy:
        "Ask an admin for a new one. If nobody else should have the code, let the admin remove "
        + "that device."
    )
  }

  private static var hasHistory: VarveError {
    VarveError(
      .unsupported,
      "a store that has commits cannot join a sealed space",
      at: "space",
      remedy: "Join with a new store, and import into it what this one has."
    )
  }
}
