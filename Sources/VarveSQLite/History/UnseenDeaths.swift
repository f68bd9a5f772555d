import VarveCore

/// Who died by a merge, and not by the will of anybody who knew (R15, R16).
///
/// Deaths are *suspected* as commits are applied that had not seen others, and judged on reading,
/// by what the commits had seen of each other: whatever the order they came in.
extension Session {
  /// Notes a dead entity whose death somebody may not have seen: a commit that had not seen all
  /// others took part in it, or wrote to it; or one that erased nothing, which no local write does,
  /// and which nobody is taken to have seen.
  func noteDeath(of id: EntityID, byErasure isErasure: Bool = true) throws {
    if !applying.unseen.isEmpty || !isErasure { try suspectDeath(of: id) }
  }

  /// Notes an entity whose death, if it is dead, some replica may not have seen.
  func suspectDeath(of id: EntityID) throws {
    let insert = try connection.statement(
      "INSERT OR IGNORE INTO varve_unseen_death (id) VALUES (?)"
    )
    insert.reserve(0)
    insert.bind(1, id)
    try insert.run()
  }

  /// The dead entities nobody saw die who erased, or not with all that was written to them.
  ///
  /// - Complexity: O(suspected, with all that ever owned them, × the erasures among these).
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
    for family in ancestry.families() {
      let inquest = Inquest(family, in: self)
      for node in family.suspected {
        if let conflict = try conflict(node, in: family, inquest) { conflicts.append(conflict) }
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
      return try !witnesses.contains { try log.hasSeen($0, cell.touch.info) }
    }
    guard witnesses.isEmpty || !unseen.isEmpty else { return nil }
    return Conflict(
      deathOf: identity.id,
      with: inquest.erased[node],
      versions: unseen.map {
        Version(content: $0.content, time: $0.touch.time, commit: $0.touch.info.summary)
      }
    )
  }
}
