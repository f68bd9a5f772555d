import VarveCore

/// Determines which cells of history count.
struct HistoryFilter {
  /// The time after which cells do not count.
  var cutoff = HybridTime.distantFuture
  /// Returns whether the cells of a commit count.
  var includes: (CommitInfo) throws -> Bool = { _ in true }

  static var now: HistoryFilter { HistoryFilter() }
}

/// An entity reconstructed from its history.
struct Reconstruction {
  var type: EntityType?
  var datestamp = HybridTime.distantPast
  var modified = HybridTime.distantPast
  /// The creation that determines the entity's place.
  var creation: CellOrder?
  var creationBlock: Int64?
  var isErased = false
  var rebirth: CellOrder?
  var properties: [PropertyKey: PropertyState] = [:]
}

/// A cell of history with its place.
struct PlacedCell {
  var content: Cell.Content
  var touch: Touch

  var version: Version {
    Version(
      content: content,
      time: touch.time,
      commit: touch.info.summary,
      ordinal: touch.ordinal
    )
  }
}

extension Session {
  /// Returns the cells of the creation in the block in which an entity was born.
  ///
  /// - Parameter key: the property whose cell is returned; nil for all.
  func bornCells(
    of identity: Identity,
    key: PropertyKey? = nil,
    _ filter: HistoryFilter
  ) throws -> [PlacedCell] {
    guard let born = identity.born else { return [] }
    let info = try log.commit(ofBlock: born)
    guard try filter.includes(info) else { return [] }
    let skimmed = try key.flatMap { try log.skimCreation(born, of: identity.id, key: $0) }
    let cells = try skimmed ?? log.block(born).creation(of: identity.id)
    return cells.compactMap { cell in
      guard key == nil || cell.content.key == key else { return nil }
      let time = cell.time ?? info.summary.time
      guard time <= filter.cutoff else { return nil }
      let touch = Touch(time: time, block: born, ordinal: cell.ordinal, info: info)
      return PlacedCell(content: cell.content, touch: touch)
    }
  }

  /// Returns the cell that a touch refers to.
  func cell(_ touch: Touch, of identity: Identity, key: PropertyKey?) throws -> Cell.Content {
    if let content = try log.skim(touch.block, ordinal: touch.ordinal) { return content }
    guard let cell = try log.block(touch.block).cell(ordinal: touch.ordinal, key: key) else {
      throw connection.damaged("cell \(touch.ordinal) of block \(touch.block) is missing")
    }
    return cell.content
  }

  /// Returns the life cells of an entity that count.
  ///
  /// - Parameter born: the cells of its creation, if they are known.
  func lifeCells(
    of identity: Identity,
    _ filter: HistoryFilter,
    born: [PlacedCell]? = nil
  ) throws -> [PlacedCell] {
    var cells = try (born ?? bornCells(of: identity, filter)).filter { $0.content.key == nil }
    guard let row = identity.row else { return cells }
    try forEachTouch(row: row, key: TouchIndex.lifeKey, notAfter: filter.cutoff) { touch in
      if try filter.includes(touch.info) {
        cells.append(
          PlacedCell(content: try cell(touch, of: identity, key: nil), touch: touch)
        )
      }
      return true
    }
    return cells
  }

  /// Returns the entity's life: type, datestamp, register, re-creation.
  ///
  /// - Parameter born: the cells of its creation, if they are known.
  func reconstructLife(
    _ identity: Identity,
    _ filter: HistoryFilter = .now,
    born: [PlacedCell]? = nil
  ) throws -> Reconstruction {
    var result = Reconstruction()
    var first: (PlacedCell, EntityType, HybridTime)?
    var rebirth: (PlacedCell, EntityType, HybridTime)?
    var register: CellOrder?
    for cell in try lifeCells(of: identity, filter, born: born) {
      guard case .life(let life) = cell.content else { continue }
      let order = cell.touch.order
      switch life {
      case .created(let type, let datestamp):
        if first.map({ order < $0.0.touch.order }) ?? true {
          first = (cell, type, datestamp ?? order.time)
        }
        continue
      case .recreated(let type, let datestamp):
        if rebirth.map({ $0.0.touch.order < order }) ?? true {
          rebirth = (cell, type, datestamp ?? order.time)
        }
      case .erased, .restored: break
      }
      if register.map({ $0 < order }) ?? true {
        register = order
        result.isErased = life == .erased
      }
    }
    if let origin = rebirth ?? first {
      result.type = origin.1
      result.datestamp = origin.2
      result.modified = origin.2
      result.creation = origin.0.touch.order
      result.creationBlock = origin.0.touch.block
    }
    result.rebirth = rebirth?.0.touch.order
    return result
  }

  /// Returns the entity's latest re-creation, or nil.
  func rebirth(of identity: Identity) throws -> CellOrder? {
    identity.flags.contains(.reborn) ? try reconstructLife(identity).rebirth : nil
  }

  /// Returns the entity with its properties.
  func reconstruct(_ identity: Identity, _ filter: HistoryFilter = .now) throws -> Reconstruction {
    let born = try bornCells(of: identity, filter)
    var result = try reconstructLife(identity, filter, born: born)
    var winners: [PropertyKey: PlacedCell] = [:]
    func offer(_ cell: PlacedCell, _ key: PropertyKey) {
      guard cell.touch.isWritten(after: result.rebirth) else { return }
      result.modified = max(result.modified, cell.touch.time)
      if let present = winners[key], cell.touch.order < present.touch.order { return }
      winners[key] = cell
    }
    for cell in born { if let key = cell.content.key { offer(cell, key) } }
    if let row = identity.row {
      for number in try touches.keys(row: row) {
        guard let key = catalogue.keys[number],
          let touch = try winner(row: row, key: number, since: result.rebirth, filter)
        else { continue }
        offer(PlacedCell(content: try cell(touch, of: identity, key: key), touch: touch), key)
      }
    }
    result.properties = winners.mapValues { PropertyState($0.content) }
      .filter { $0.value.value != nil || $0.value.isCollection }
    return result
  }

  /// Returns the greatest touch of a key that counts.
  func winner(
    row: Int64,
    key: Int64,
    since rebirth: CellOrder?,
    _ filter: HistoryFilter
  ) throws -> Touch? {
    var winner: Touch?
    try touches.forEach(row: row, key: key, notAfter: filter.cutoff) { entry in
      if let winner, entry.time < winner.time.rawValue { return false }
      let touch = try touch(entry)
      guard try filter.includes(touch.info) else { return true }
      guard touch.isWritten(after: rebirth) else { return true }
      if winner.map({ $0.order < touch.order }) ?? true { winner = touch }
      return true
    }
    return winner
  }
}
