import VarveCore

/// Applies changes of life.
extension Session {
  func applyLife(
    _ life: Life,
    to entity: EntityID,
    time: HybridTime,
    at place: CellPlace
  ) throws -> LifeChanges {
    var identity =
      try self.identity(entity) ?? Identity(id: entity, row: nil, type: nil, flags: [], born: nil)
    let wasLive = identity.isLive
    let wasErased = identity.flags.contains(.erased)
    applying.deferred?.note(entity, wasLive: wasLive)
    if identity.row == nil { identity.row = log.takeRow() }
    if case .created = life, identity.born == nil, !identity.flags.contains(.known) {
      identity.born = place.block
    } else if let row = identity.row {
      try noteLifeChange(by: life, of: identity, at: place)
      try touches.add(
        row: row,
        key: TouchIndex.lifeKey,
        time: time,
        block: place.block,
        ordinal: place.ordinal
      )
    }
    // A past state may have the type even if the present never has.
    if let type = life.type { _ = try catalogue.ensureLayout(type) }
    try save(identity)
    let state = try reconstructLife(identity)
    try moveBirth(of: &identity, to: state.creationBlock)
    let turned = try state.rebirth.map { try markFormerEdges(of: entity, rebirth: $0) } ?? []
    // Until liveness has been computed, the dead bit records whether there is a row.
    let awaitsLiveness = try applying.deferred != nil && hasOwnershipEdges(entity)
    let wasNamed = !identity.flags.contains(.known) && identity.row != nil && state.type != nil
    try setRegister(&identity, state, keepingDead: awaitsLiveness)
    // Cells that arrived before the creation may have been concurrent with it.
    if wasNamed, !identity.isLive || awaitsLiveness { try suspectDeath(of: entity) }
    let changes = try settle(identity, turned, wasLive: wasLive, wasErased: wasErased, life)
    try renameType(of: entity, to: state.type)
    return changes
  }

  /// Gives a dead entity the type of its creation if another creation counts by now. A live entity
  /// gets it with its row.
  func renameType(of entity: EntityID, to type: EntityType?) throws {
    guard let type, var identity = try identity(entity), !identity.isLive,
      let number = catalogue.typeNumbers[type], let former = identity.type, former != number
    else { return }
    identity.type = number
    try save(identity)
  }

  /// Records the commits of a change of life. If an entity is created twice, a past state may have
  /// either creation.
  private func noteLifeChange(by life: Life, of identity: Identity, at place: CellPlace) throws {
    let isCreation = if case .created = life { true } else { false }
    try log.noteLifeChange(place.info.n, creates: isCreation)
    guard isCreation else { return }
    // The birth may be a re-creation, so it does not lead to all creations.
    for cell in try lifeCells(of: identity, .now) {
      guard case .life(.created) = cell.content else { continue }
      try log.noteLifeChange(cell.touch.info.n, creates: true)
    }
  }

  private func setRegister(
    _ identity: inout Identity,
    _ state: Reconstruction,
    keepingDead: Bool
  ) throws {
    identity.flags.remove([.erased, .reborn])
    if state.type != nil { identity.flags.insert(.known) }
    if state.isErased { identity.flags.insert(.erased) }
    if state.rebirth != nil { identity.flags.insert(.reborn) }
    if !identity.flags.contains(.below), !keepingDead {
      if state.isErased { identity.flags.insert(.dead) } else { identity.flags.remove(.dead) }
    }
    try save(identity)
  }

  /// Updates the row and the graph to match the register.
  ///
  /// - Parameter turned: the entities whose owners changed and which may therefore live or die.
  private func settle(
    _ identity: Identity,
    _ turned: [EntityID],
    wasLive: Bool,
    wasErased: Bool,
    _ life: Life
  ) throws -> LifeChanges {
    var changes = LifeChanges()
    let isErased = identity.flags.contains(.erased)
    let needsGraph = isErased != wasErased || identity.flags.contains(.below) || life.isRebirth
    if needsGraph, try hasOwnershipEdges(identity.id) {
      let isErasure = life == .erased
      if applying.deferred != nil {
        return try liveness(after: [identity.id] + turned, byErasure: isErasure)
      }
      changes = try updateLiveness(
        from: [identity.id] + turned,
        before: [identity.id: wasLive],
        byErasure: isErasure
      )
    } else if wasLive, !identity.isLive {
      try deleteRow(of: identity)
      try noteDeath(of: identity.id, byErasure: life == .erased)
      changes.died = [identity.id]
    } else if !wasLive, identity.isLive {
      try rederive(identity)
      changes.revived = [identity.id]
    }
    if let now = try self.identity(identity.id), now.isLive, wasLive { try rederive(now) }
    return changes
  }
}

extension Life {
  /// The type that the life cell sets, if it sets one.
  fileprivate var type: EntityType? {
    switch self {
    case .created(let type, _), .recreated(let type, _): type
    case .erased, .restored: nil
    }
  }

  var isRebirth: Bool { if case .recreated = self { true } else { false } }
}
