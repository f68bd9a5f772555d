import VarveCore

/// Relations and lives as they were.
extension OwnedRegion.Filter {
  /// The state at a moment.
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
  /// Whether an add counts at a moment, and what re-creations made of it by then.
  func state(
    of link: Link,
    _ filter: MomentFilter
  ) throws -> (stands: Bool, former: Link.Former) {
    let info = try commit(ofBlock: link.commit)
    guard link.time <= filter.history.cutoff, try filter.history.includes(info) else {
      return (false, [])
    }
    if link.removed != nil, try isRemoved(link, filter) { return (false, []) }
    var former: Link.Former = []
    let order = CellOrder(time: link.time, commit: info.order, ordinal: link.ordinal)
    if try isReborn(link.target, after: order, filter) { former.insert(.intoRebirth) }
    if try isReborn(link.source, after: order, filter) { former.insert(.outOfRebirth) }
    return (true, former)
  }

  /// The adds that count at a time, of those that count as of the present lives of their ends.
  func standing(_ links: [Link], at time: HybridTime) throws -> [Link] {
    let (then, now) = (MomentFilter(cutoff: time), MomentFilter(cutoff: .distantFuture))
    return try links.filter { link in
      let order = try order(of: link)
      guard try !isReborn(link.source, after: order, now) else { return false }
      if link.relation.kind == .owns, try isReborn(link.target, after: order, now) { return false }
      return try state(of: link, then).stands
    }
  }

  private func isRemoved(_ link: Link, _ filter: MomentFilter) throws -> Bool {
    let removals = try connection.ownStatement(
      "SELECT time, b FROM varve_unlink WHERE add_b = ? AND add_ordinal = ?"
    )
    removals.bind(1, link.commit)
    removals.bind(2, Int64(link.ordinal))
    while try removals.step() {
      guard HybridTime(rawValue: removals.int(0)) <= filter.history.cutoff else { continue }
      if try filter.history.includes(try commit(ofBlock: removals.int(1))) { return true }
    }
    return false
  }

  private func isReborn(
    _ id: EntityID,
    after order: CellOrder,
    _ filter: MomentFilter
  ) throws -> Bool {
    guard let identity = try identity(id), identity.life.contains(.reborn) else { return false }
    return try reconstructLife(identity, filter.history).rebirth?.isWritten(after: order) ?? false
  }

  /// What was known of an identifier at the moment whose tables stand ready.
  func pastIdentity(_ id: EntityID) throws -> Identity? {
    let statement = try connection.statement(
      "SELECT row, type, life, born FROM temp.varve_past_identity WHERE id = ?"
    )
    statement.reserve(1_024)
    statement.bind(1, id)
    defer { statement.reset() }
    guard try statement.step() else { return try identity(id) }
    return Identity(
      id: id,
      row: statement.optionalInt(0),
      type: statement.optionalInt(1),
      life: Identity.Life(rawValue: statement.int(2)),
      born: statement.optionalInt(3)
    )
  }
}
