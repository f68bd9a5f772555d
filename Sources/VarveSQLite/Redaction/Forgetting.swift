import VarveCore

/// Removes from the tables what was derived from redacted cells.
extension Session {
  /// Removes what was derived from cells.
  ///
  /// - Parameters:
  ///   - cells: the cells that were removed from the block.
  ///   - block: the number of the block, which is stored without them already.
  func forget(_ cells: [Cell], info: CommitInfo, block: Int64) throws {
    for cell in cells { try forgetPlace(of: cell, info: info, block: block) }
    var stale: [EntityID: Identity] = [:]
    for cell in cells where stale[cell.entity] == nil {
      guard let identity = try identity(cell.entity), identity.isLive,
        try wasCurrent(cell, of: identity, info: info)
      else { continue }
      stale[cell.entity] = identity
    }
    for id in stale.keys.sorted() { if let identity = stale[id] { try rederive(identity) } }
  }

  private func forgetPlace(of cell: Cell, info: CommitInfo, block: Int64) throws {
    switch cell.content {
    case .value(let key, _, _), .removal(let key), .collection(let key):
      guard let row = try identity(cell.entity)?.row, let number = catalogue.keyNumbers[key] else {
        return
      }
      try touches.remove(
        row: row,
        key: number,
        time: cell.time ?? info.summary.time,
        block: block,
        ordinal: cell.ordinal
      )
    case .add(let relation, _, let position, _):
      try forgetLink(
        from: cell.entity,
        relation,
        at: position ?? ListPosition(stamp: info.summary.time, ordinal: cell.ordinal),
        n: info.n,
        ordinal: cell.ordinal
      )
    case .remove(let relation, let target, let adds):
      try forgetRemoval(relation, from: cell.entity, to: target, adds, info, cell.ordinal, block)
    case .life: break
    }
  }

  private func forgetLink(
    from source: EntityID,
    _ relation: Relation,
    at position: ListPosition,
    n: Int64,
    ordinal: Int
  ) throws {
    let delete = try connection.statement(
      """
      DELETE FROM varve_link
      WHERE source = ? AND kind = ? AND name = ? AND position = ? AND b = ? AND ordinal = ?
      """
    )
    delete.reserve(1_024 + relation.name.text.utf8.count + position.bytes.count)
    delete.bind(1, source)
    delete.bind(2, Int64(relation.kind.rawValue))
    delete.bind(3, text: relation.name.text)
    delete.bind(4, blob: position.bytes)
    delete.bind(5, n)
    delete.bind(6, Int64(ordinal))
    try delete.run()
  }

  /// Undoes a redacted removal. Other removals of the same adds stay in effect.
  private func forgetRemoval(
    _ relation: Relation,
    from source: EntityID,
    to target: EntityID,
    _ adds: [AddID],
    _ info: CommitInfo,
    _ ordinal: Int,
    _ block: Int64
  ) throws {
    let place = CellPlace(info: info, block: block, ordinal: ordinal)
    for add in adds {
      guard let n = try commitNumber(of: add, at: place) else { continue }
      let delete = try connection.statement(
        """
        DELETE FROM varve_unlink WHERE add_b = ? AND add_ordinal = ? AND b = ? AND ordinal = ?
        """
      )
      delete.bind(1, n)
      delete.bind(2, Int64(add.ordinal))
      delete.bind(3, block)
      delete.bind(4, Int64(ordinal))
      try delete.run()
    }
    for var link in try links(from: source, relation: relation, to: target) {
      let removed = try earliestRemoval(link.commit, link.ordinal)
      guard removed != link.removed else { continue }
      link.removed = removed
      try update(link)
    }
  }

  /// Returns whether a redacted cell determined the property's value or the row's time of change:
  /// no remaining cell of the property is greater.
  func wasCurrent(_ cell: Cell, of identity: Identity, info: CommitInfo) throws -> Bool {
    guard let key = cell.content.key, let row = identity.row else { return false }
    let time = cell.time ?? info.summary.time
    let order = CellOrder(time: time, commit: info.order, ordinal: cell.ordinal)
    let rebirth = try rebirth(of: identity)
    if let rebirth, !order.isWritten(after: rebirth) { return false }
    // A key without a number has no other cells: the first one may be what was missing.
    if let number = catalogue.keyNumbers[key],
      let winner = try winner(row: row, key: number, since: rebirth, .now), order < winner.order
    {
      return false
    }
    return try !bornCells(of: identity, .now).contains { born in
      born.content.key == key && born.touch.isWritten(after: rebirth) && order < born.touch.order
    }
  }
}
