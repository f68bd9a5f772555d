import VarveCore

/// Applies adds and removals of to-many relations.
extension Session {
  func applyAdd(
    _ relation: Relation,
    from source: EntityID,
    to target: EntityID,
    position: ListPosition?,
    pairing: Pairing?,
    time: HybridTime,
    at place: CellPlace
  ) throws -> LifeChanges {
    var link = Link(
      source: source,
      relation: relation,
      target: target,
      position: position
        ?? ListPosition(stamp: place.info.summary.time, ordinal: place.ordinal),
      commit: place.info.n,
      ordinal: place.ordinal,
      time: time,
      removed: try earliestRemoval(place.info.n, place.ordinal),
      former: []
    )
    link.former = try former(link)
    if let pairing { try pair(&link, with: pairing, at: place) }
    try insert(link)
    if relation.kind == .owns { try log.noteLifeChange(place.info.n) }
    let turned = pairing == nil ? [] : try settleRegister(of: &link)
    guard relation.kind == .owns else { return .none }
    var changed = try turned.filter { try identity($0)?.flags.contains(.below) == true }
    if try mayChange(link) { changed.append(target) }
    return changed.isEmpty ? .none : try liveness(after: changed)
  }

  /// Returns whether an added ownership may change liveness.
  private func mayChange(_ link: Link) throws -> Bool {
    guard link.removed == nil, !link.former.contains(.intoRebirth) else { return false }
    if try identity(link.target) == nil {
      try save(Identity(id: link.target, row: nil, type: nil, flags: [], born: nil))
    }
    guard link.isStanding else { return false }
    let owner = try identity(link.source)?.flags ?? []
    let owned = try identity(link.target)?.flags ?? []
    return !owner.isDisjoint(with: [.erased, .below])
      || !link.former.isDisjoint(with: .rebirths) || owned.contains(.below)
  }

  func applyRemove(
    _ relation: Relation,
    from source: EntityID,
    to target: EntityID,
    _ adds: [AddID],
    time: HybridTime,
    at place: CellPlace
  ) throws -> LifeChanges {
    if relation.kind == .owns { try log.noteLifeChange(place.info.n) }
    var named: Set<AddPlace> = []
    for add in adds {
      guard let commit = try commitNumber(of: add, at: place) else {
        if let id = add.commit {
          try noteRemoval(id.earlyNumber, add.ordinal, time: time, at: place)
        }
        continue
      }
      named.insert(AddPlace(commit: commit, ordinal: add.ordinal))
      try noteRemoval(commit, add.ordinal, time: time, at: place)
    }
    for var link in try links(from: source, relation: relation, to: target) {
      let add = AddPlace(commit: link.commit, ordinal: link.ordinal)
      guard named.contains(add) else { continue }
      link.removed = min(link.removed ?? time, time)
      try update(link)
    }
    guard relation.kind == .owns, try identity(target)?.flags.contains(.below) == true else {
      return .none
    }
    return try liveness(after: [target])
  }

  /// Returns the number of the commit that an add names.
  func commitNumber(of add: AddID, at place: CellPlace) throws -> Int64? {
    guard let id = add.commit else { return place.info.n }
    guard let chainID = try log.chainHolding(id) else { return nil }
    return try log.commitNumber(chainID: chainID, sequence: id.sequence)
  }

  func noteRemoval(
    _ addCommit: Int64,
    _ addOrdinal: Int,
    time: HybridTime,
    at place: CellPlace
  ) throws {
    let statement = try connection.statement(
      """
      INSERT OR IGNORE INTO varve_unlink (add_b, add_ordinal, time, b, ordinal)
      VALUES (?, ?, ?, ?, ?)
      """
    )
    statement.bind(1, addCommit)
    statement.bind(2, Int64(addOrdinal))
    statement.bind(3, time.rawValue)
    statement.bind(4, place.block)
    statement.bind(5, Int64(place.ordinal))
    try statement.run()
  }

  /// Assigns the removals that arrived before their commit to that commit.
  ///
  /// This happens if the author's clock was corrected and the removal could not name the commit
  /// among those it had seen (R11).
  func adoptEarlyRemovals(_ info: CommitInfo) throws {
    let statement = try connection.statement(
      "UPDATE OR IGNORE varve_unlink SET add_b = ? WHERE add_b = ?"
    )
    statement.bind(1, info.n)
    statement.bind(2, info.summary.id.earlyNumber)
    try statement.run()
  }

  /// Returns the time of the earliest removal of an add, which may have been applied before it.
  func earliestRemoval(_ commit: Int64, _ ordinal: Int) throws -> HybridTime? {
    let statement = try connection.statement(
      "SELECT min(time) FROM varve_unlink WHERE add_b = ? AND add_ordinal = ?"
    )
    statement.bind(1, commit)
    statement.bind(2, Int64(ordinal))
    defer { statement.reset() }
    return try statement.step() ? statement.optionalInt(0).map(HybridTime.init(rawValue:)) : nil
  }

  /// Returns which ends of an add were re-created after it.
  private func former(_ link: Link) throws -> Link.Former {
    var former: Link.Former = []
    if try isWrittenBeforeRebirth(link, of: link.target) { former.insert(.intoRebirth) }
    if try isWrittenBeforeRebirth(link, of: link.source) { former.insert(.outOfRebirth) }
    return former
  }

  private func isWrittenBeforeRebirth(_ link: Link, of id: EntityID) throws -> Bool {
    guard let identity = try identity(id), identity.flags.contains(.reborn),
      let rebirth = try reconstructLife(identity).rebirth
    else { return false }
    return rebirth.isWritten(after: try order(of: link))
  }

  /// Marks each add at an entity as former or not, according to the entity's greatest re-creation.
  ///
  /// The greatest re-creation is not always the one written last. A new one may therefore make adds
  /// former, or no longer former.
  ///
  /// - Returns: the entities whose owner changed, because a register belongs to one life (R28).
  func markFormerEdges(of id: EntityID, rebirth: CellOrder) throws -> [EntityID] {
    var paired: [Link] = []
    for link in try links(from: id) {
      try mark(link, .outOfRebirth, rebirth)
      if link.former.contains(.pairedAtSource) { paired.append(link) }
    }
    for kind in Relation.Kind.allCases {
      for link in try links(to: id, kind: kind) {
        try mark(link, .intoRebirth, rebirth)
        if link.former.contains(.pairedAtTarget) { paired.append(link) }
      }
    }
    return try settleRegisters(of: paired)
  }

  private func mark(_ link: Link, _ end: Link.Former, _ rebirth: CellOrder) throws {
    let isFormer = rebirth.isWritten(after: try order(of: link))
    guard isFormer != link.former.contains(end) else { return }
    var link = link
    if isFormer { link.former.insert(end) } else { link.former.remove(end) }
    try update(link)
  }
}

extension CommitID {
  /// A placeholder for the number of a commit that has not arrived. It is less than all numbers.
  fileprivate var earlyNumber: Int64 { hash.checksum | .min }
}

/// An add, identified by the number of its commit.
private struct AddPlace: Hashable {
  var commit: Int64
  var ordinal: Int
}
