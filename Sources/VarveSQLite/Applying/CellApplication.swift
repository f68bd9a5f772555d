import VarveCore

/// Applies cells to the tables. Local commits, foreign commits and replayed ones take this path.
extension Session {
  /// Applies one cell to the tables.
  func apply(
    _ content: Cell.Content,
    to entity: EntityID,
    time: HybridTime?,
    at place: CellPlace
  ) throws -> LifeChanges {
    let (time, isNewest) = log.timing(of: time, at: place)
    switch content {
    case .value(let key, _, _), .removal(let key), .collection(let key):
      try applyProperty(content, key, to: entity, time: time, isNewest: isNewest, at: place)
      return .none
    case .life(let life): return try applyLife(life, to: entity, time: time, at: place)
    case .add(let relation, let target, let position, let pairing):
      return try applyAdd(
        relation,
        from: entity,
        to: target,
        position: position,
        pairing: pairing,
        time: time,
        at: place
      )
    case .remove(let relation, let target, let adds):
      return try applyRemove(relation, from: entity, to: target, adds, time: time, at: place)
    }
  }

  private func applyProperty(
    _ content: Cell.Content,
    _ key: PropertyKey,
    to entity: EntityID,
    time: HybridTime,
    isNewest: Bool,
    at place: CellPlace
  ) throws {
    let identity = try identityWithRow(entity)
    guard let row = identity.row else { return }
    let number = try keyNumber(key)
    try noteConflict(of: identity, key: number, at: place)
    try touches.add(row: row, key: number, time: time, block: place.block, ordinal: place.ordinal)
    guard identity.isLive else { return try noteDeath(of: entity) }
    if applying.deferred?.rewrites(entity) == true { return }
    if isNewest {
      return try writeProperty(key, PropertyState(content), of: identity, modified: time)
    }
    try refreshProperty(key, number, of: identity, content, time: time, at: place)
  }

  /// Updates a property after a cell that may not be its greatest.
  private func refreshProperty(
    _ key: PropertyKey,
    _ number: Int64,
    of identity: Identity,
    _ content: Cell.Content,
    time: HybridTime,
    at place: CellPlace
  ) throws {
    guard let row = identity.row, let layout = identity.type.flatMap({ catalogue.layouts[$0] })
    else { return }
    let rebirth = try rebirth(of: identity)
    let order = CellOrder(time: time, commit: place.info.order, ordinal: place.ordinal)
    if let rebirth, !order.isWritten(after: rebirth) { return }
    let modified = max(try self.modified(row: row, layout) ?? time, time)
    var isGreatest = true
    if let winner = try winner(row: row, key: number, since: rebirth, .now), order < winner.order {
      isGreatest = false
    }
    if isGreatest, try order.time <= latestCreation(of: identity) {
      for cell in try bornCells(of: identity, .now) where cell.content.key == key {
        guard cell.touch.isWritten(after: rebirth) else { continue }
        if order < cell.touch.order { isGreatest = false }
      }
    }
    if isGreatest {
      try writeProperty(key, PropertyState(content), of: identity, modified: modified)
    } else {
      try touchModified(modified, row: row, layout)
    }
  }

  /// Returns an upper bound of the times of an entity's creation cells. It follows from the cells
  /// in their block, which is read once for all entities, and not from what a header says of them.
  private func latestCreation(of identity: Identity) throws -> HybridTime {
    guard let born = identity.born else { return .distantPast }
    guard log.pending.map({ born < $0.n }) ?? true else { return .distantFuture }
    return max(try log.commit(ofBlock: born).summary.time, try log.latestOwnTime(inBlock: born))
  }

  private func touchModified(_ time: HybridTime, row: Int64, _ layout: TableLayout) throws {
    let statement = try connection.statement(
      """
      UPDATE \(layout.table.quotedIdentifier) SET modified = ?1 \
      WHERE row = ?2 AND coalesce(modified, datestamp) < ?1
      """
    )
    statement.bind(1, time.rawValue)
    statement.bind(2, row)
    try statement.run()
  }

  /// Returns the identity of an entity, with a row number for its touches.
  func identityWithRow(_ id: EntityID) throws -> Identity {
    var identity =
      try identity(id) ?? Identity(id: id, row: nil, type: nil, flags: [], born: nil)
    if identity.row == nil {
      identity.row = log.takeRow()
      try save(identity)
    }
    return identity
  }
}
