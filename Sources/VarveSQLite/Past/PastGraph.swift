import VarveCore

/// Reads relations and lives of a past state.
extension OwnedRegion.Filter {
  /// Returns the filter for a move of the past state that a session has made.
  ///
  /// - Parameter old: the moment before; nil for the present.
  static func past(_ filter: MomentFilter, from old: MomentFilter?) -> OwnedRegion.Filter {
    var region = past(filter)
    let before = old.map { past($0) }
    region.hasStood = { link, session in
      // What was written since may have changed the present too.
      if link.isStanding, !link.former.contains(.intoRebirth) { return true }
      return try before?.stands(link, session) ?? false
    }
    region.life = { id, session in
      try session.examined(id)?.flags ?? session.identity(id)?.flags ?? []
    }
    return region
  }

  /// Returns the filter for a moment.
  static func past(_ filter: MomentFilter) -> OwnedRegion.Filter {
    OwnedRegion.Filter(
      stands: { link, session in
        let state = try session.state(of: link, filter)
        return state.stands && !state.former.contains(.intoRebirth)
      },
      isGhost: { link, session in
        try session.state(of: link, filter).former.contains(.outOfRebirth)
      },
      isErased: { _, identity, session in
        try identity.map { try session.reconstructLife($0, filter.history).isErased } ?? false
      }
    )
  }
}

extension Session {
  /// Returns whether an add counts at a moment, and its marks by re-creations up to then.
  func state(
    of link: Link,
    _ filter: MomentFilter
  ) throws -> (stands: Bool, former: Link.Former) {
    let info = try log.commit(ofBlock: link.commit)
    guard link.time <= filter.history.cutoff, try filter.history.includes(info) else {
      return (false, [])
    }
    if link.removed != nil, try isRemoved(link, filter) { return (false, []) }
    var former: Link.Former = []
    let order = CellOrder(time: link.time, commit: info.order, ordinal: link.ordinal)
    if try isReborn(link.target, after: order, filter) { former.insert(.intoRebirth) }
    if try isReborn(link.source, after: order, filter) { former.insert(.outOfRebirth) }
    if link.pairKey != 0, try isOutdone(link, order, former, filter) { return (false, []) }
    return (true, former)
  }

  /// Returns the adds that count at a time, out of those that belong to the present lives of their
  /// ends.
  func standing(_ links: [Link], at time: HybridTime) throws -> [Link] {
    let filter = MomentFilter(cutoff: time)
    return try links.filter { try !isFromFormerLife($0) && state(of: $0, filter).stands }
  }

  /// Returns the times at which an add was removed, one for each removal.
  func removalTimes(of link: Link) throws -> [HybridTime] {
    let removals = try connection.ownStatement(
      "SELECT time FROM varve_unlink WHERE add_b = ? AND add_ordinal = ?"
    )
    removals.bind(1, link.commit)
    removals.bind(2, Int64(link.ordinal))
    var times: [HybridTime] = []
    while try removals.step() { times.append(HybridTime(rawValue: removals.int(0))) }
    return times
  }

  /// Returns an add with the commits that added and removed it.
  func recorded(_ link: Link) throws -> RecordedAdd {
    let statement = try connection.ownStatement(
      "SELECT b, time FROM varve_unlink WHERE add_b = ? AND add_ordinal = ?"
    )
    statement.bind(1, link.commit)
    statement.bind(2, Int64(link.ordinal))
    var removals: [RecordedAdd.Removal] = []
    while try statement.step() {
      let time = HybridTime(rawValue: statement.int(1))
      let commit = try log.commit(ofBlock: statement.int(0)).summary
      removals.append(RecordedAdd.Removal(by: commit, at: time))
    }
    return RecordedAdd(
      target: link.target,
      position: link.position,
      add: try addID(of: link),
      time: link.time,
      commit: try log.commit(ofBlock: link.commit).summary,
      removals: removals,
      isFromFormerLife: try isFromFormerLife(link),
      isPaired: !link.former.isDisjoint(with: .pairings)
    )
  }

  /// Returns whether an end that the add depends on was re-created later.
  func isFromFormerLife(_ link: Link) throws -> Bool {
    let (order, now) = (try order(of: link), MomentFilter(cutoff: .distantFuture))
    if try isReborn(link.source, after: order, now) { return true }
    return try link.relation.kind == .owns && isReborn(link.target, after: order, now)
  }

  /// Returns whether a greater add of its register, of the same life, counts at a moment (R28).
  private func isOutdone(
    _ link: Link,
    _ order: CellOrder,
    _ former: Link.Former,
    _ filter: MomentFilter
  ) throws -> Bool {
    let isAtSource = link.former.contains(.pairedAtSource)
    let holder = isAtSource ? link.source : link.target
    let isFormer = former.contains(isAtSource ? .outOfRebirth : .intoRebirth)
    for other in try register(of: link) where other.time <= filter.history.cutoff {
      let otherOrder = try self.order(of: other)
      guard order < otherOrder,
        try filter.history.includes(try log.commit(ofBlock: other.commit))
      else { continue }
      if try isReborn(holder, after: otherOrder, filter) == isFormer { return true }
    }
    return false
  }

  /// Returns the greatest add of each register of a property, in the life that the holder had at a
  /// moment.
  func pairedEdges(
    of id: EntityID,
    key: PropertyKey,
    _ filter: MomentFilter
  ) throws -> [PairedEdge] {
    try pairedLinks(of: id, key: key).compactMap { link in
      var bare = link
      bare.removed = nil
      let state = try state(of: bare, filter)
      bare.former = link.former.subtracting(.rebirths).union(state.former)
      guard state.stands, !bare.isOfFormerHolder else { return nil }
      let wasRemoved = try link.removed != nil && isRemoved(link, filter)
      return try pairedEdge(link, key, isRemoved: wasRemoved)
    }.sorted(by: PairedEdge.precedes)
  }

  private func isRemoved(_ link: Link, _ filter: MomentFilter) throws -> Bool {
    let removals = try connection.freeStatement(
      "SELECT time, b FROM varve_unlink WHERE add_b = ? AND add_ordinal = ?"
    )
    removals.bind(1, link.commit)
    removals.bind(2, Int64(link.ordinal))
    defer { removals.reset() }
    while try removals.step() {
      guard HybridTime(rawValue: removals.int(0)) <= filter.history.cutoff else { continue }
      if try filter.history.includes(try log.commit(ofBlock: removals.int(1))) { return true }
    }
    return false
  }

  private func isReborn(
    _ id: EntityID,
    after order: CellOrder,
    _ filter: MomentFilter
  ) throws -> Bool {
    guard let identity = try identity(id), identity.flags.contains(.reborn) else { return false }
    return try reconstructLife(identity, filter.history).rebirth?.isWritten(after: order) ?? false
  }

  /// Returns the identity of an entity at the moment whose tables are ready, if the tables have it.
  func examined(_ id: EntityID) throws -> Identity? {
    let statement = try connection.statement(
      "SELECT row, type, life, born FROM temp.varve_past_identity WHERE id = ?"
    )
    statement.reserve(1_024)
    statement.bind(1, id)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return Identity(
      id: id,
      row: statement.optionalInt(0),
      type: statement.optionalInt(1),
      flags: Identity.Flags(rawValue: statement.int(2)),
      born: statement.optionalInt(3)
    )
  }
}
