import VarveCore

/// Properties with concurrent values (R7).
extension Session {
  /// Records a property with possibly concurrent values: it has a cell of a commit that the one
  /// being applied had not seen. Reading determines whether the values still conflict.
  func noteConflict(of identity: Identity, key: Int64, at place: CellPlace) throws {
    guard !applying.unseen.isEmpty, let row = identity.row else { return }
    var isApart = try identity.born.map(isUnseen) ?? false
    if !isApart {
      try touches.forEach(row: row, key: key) { entry in
        isApart = try isUnseen(entry.block)
        return !isApart
      }
    }
    guard isApart else { return }
    let insert = try connection.statement(
      "INSERT OR IGNORE INTO varve_conflict (id, key) VALUES (?, ?)"
    )
    insert.reserve(0)
    insert.bind(1, identity.id)
    insert.bind(2, key)
    try insert.run()
  }

  /// Returns whether the author of the commit being applied had not seen the commit of a block.
  ///
  /// - Complexity: O(1) for the blocks of commits that arrived before all unseen ones.
  private func isUnseen(_ block: Int64) throws -> Bool {
    guard try block >= firstUnseen() else { return false }
    let info = try log.commit(ofBlock: block)
    guard let seen = applying.unseen.chains[info.chainID] else { return false }
    return info.summary.id.sequence > seen
  }

  /// Returns a number that none of the unseen commits is below. A commit arrives after those before
  /// it in its chain.
  private func firstUnseen() throws -> Int64 {
    if let first = applying.unseen.first { return first }
    var first = Int64.max
    for (chainID, seen) in applying.unseen.chains {
      first = min(first, try log.commitNumber(chainID: chainID, sequence: seen + 1) ?? 0)
    }
    applying.unseen.first = first
    return first
  }

  /// Returns the properties of live entities that have different concurrent values.
  ///
  /// A recorded property stays recorded even if its conflict is resolved, so that past states can
  /// be examined too.
  ///
  /// - Parameters:
  ///   - filter: which cells count.
  ///   - identify: returns the identity of an identifier in the state.
  func valueConflicts(
    _ filter: HistoryFilter,
    _ identify: (EntityID) throws -> Identity?
  ) throws -> [Conflict] {
    let statement = try connection.ownStatement("SELECT id, key FROM varve_conflict")
    var conflicts: [Conflict] = []
    var size = ResultSize()
    while try statement.step() {
      try Task.checkCancellation()
      guard let identity = try identify(try statement.id(0)), identity.isLive,
        let key = catalogue.keys[statement.int(1)]
      else { continue }
      let rebirth = try reconstructLife(identity, filter).rebirth
      let cells = try placedCells(of: identity, key: key, limit: nil, filter)
        .filter { $0.touch.isWritten(after: rebirth) }
      let heads = try Conflict.heads(among: cells, content: \.content) { later, cell in
        later.touch.info.n == cell.touch.info.n
          ? cell.touch.ordinal < later.touch.ordinal
          : try log.hasSeen(later.touch.info, cell.touch.info)
      }
      guard let heads else { continue }
      let versions = heads.map(\.version)
      for version in versions { try size.add(version.content, of: version.commit) }
      conflicts.append(Conflict(entity: identity.id, key: key, versions: versions))
    }
    return conflicts.sorted(by: Conflict.precedes)
  }
}
