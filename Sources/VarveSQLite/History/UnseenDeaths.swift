import VarveCore

/// Finds entities that died by a merge and not by a decision (R15, R16).
///
/// Deaths are *suspected* if an applied commit had not seen others. They are checked when
/// they are read, by what the commits had seen of each other, so the order of arrival has no
/// effect.
extension Session {
  /// Records a dead entity whose death may be unseen.
  ///
  /// That is the case if a commit that had not seen all others caused the death or wrote to the
  /// entity, or if the commit erased nothing. Local writes never kill without erasing.
  func noteDeath(of id: EntityID, byErasure isErasure: Bool = true) throws {
    if !applying.unseen.isEmpty || !isErasure { try suspectDeath(of: id) }
  }

  /// Records an entity whose death, if it is dead, some replica may not have seen.
  func suspectDeath(of id: EntityID) throws {
    let insert = try connection.statement(
      "INSERT OR IGNORE INTO varve_unseen_death (id) VALUES (?)"
    )
    insert.reserve(0)
    insert.bind(1, id)
    try insert.run()
  }

  /// Returns the dead entities whose death no erasing commit saw, or which have cells that no such
  /// commit had seen, written without knowledge of the death.
  ///
  /// - Complexity: O(suspected entities and everything that ever owned them × the erasures among
  ///   these and the commits that wrote to the dead).
  func unseenDeaths() throws -> [Conflict] {
    let statement = try connection.ownStatement("SELECT id FROM varve_unseen_death")
    var suspected: [EntityID] = []
    while try statement.step() {
      let id = try statement.id(0)
      if try identity(id)?.isKnownDead == true { suspected.append(id) }
    }
    guard !suspected.isEmpty else { return [] }
    let ancestry = try Ancestry(of: suspected, in: self)
    var conflicts: [Conflict] = []
    var size = ResultSize()
    for family in ancestry.families() {
      try Task.checkCancellation()
      let inquest = Inquest(family, in: self)
      for node in family.suspected {
        guard let conflict = try conflict(node, in: family, inquest) else { continue }
        for version in conflict.versions { try size.add(version.content, of: version.commit) }
        conflicts.append(conflict)
      }
    }
    return conflicts.sorted(by: Conflict.precedes)
  }

  private func conflict(
    _ node: Int,
    in family: Ancestry,
    _ inquest: Inquest
  ) throws -> Conflict? {
    guard let identity = family.nodes[node].identity else { return nil }
    let witnesses = try inquest.witnesses(of: node)
    let rebirth = try rebirth(of: identity)
    let unseen = try placedCells(of: identity, key: nil, limit: nil, .now).filter { cell in
      guard cell.content != .life(.erased) else { return false }
      if let rebirth, rebirth.isWritten(after: cell.touch.order) { return false }
      let writer = cell.touch.info
      if try witnesses.contains(where: { try log.hasSeen($0, writer) }) { return false }
      return try !witnesses.contains { try log.hasSeen(writer, $0) }
        || !inquest.isKnownDead(node, to: writer)
    }
    guard witnesses.isEmpty || !unseen.isEmpty else { return nil }
    return Conflict(
      deathOf: identity.id,
      with: inquest.erased[node],
      versions: unseen.map(\.version)
    )
  }
}
