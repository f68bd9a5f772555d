import VarveCore

/// Finds every value that properties of an entity ever had.
extension Session {
  /// - Complexity: O(cells of the entity).
  func contentCells(of id: EntityID) throws -> [Redaction] {
    var places: [CommitID: Set<Int>] = [:]
    func add(_ b: Int64, _ ordinal: Int) throws {
      let info = try commit(ofBlock: b)
      guard info.n != pending?.n else { return }
      places[info.summary.id, default: []].insert(ordinal)
    }
    if let identity = try identity(id) {
      if let row = identity.row {
        for key in try touches.keys(row: row) {
          try forEachTouch(row: row, key: key) { touch in
            try add(touch.block, touch.ordinal)
            return true
          }
        }
      }
      for cell in try bornCells(of: identity, .now) where cell.content.key != nil {
        try add(cell.touch.block, cell.touch.ordinal)
      }
    }
    for link in try links(from: id, kind: .member) {
      try add(link.commit, link.ordinal)
      let removals = try connection.ownStatement(
        "SELECT b, ordinal FROM varve_unlink WHERE add_b = ? AND add_ordinal = ?"
      )
      removals.bind(1, link.commit)
      removals.bind(2, Int64(link.ordinal))
      while try removals.step() { try add(removals.int(0), Int(removals.int(1))) }
    }
    return places.keys.sorted().map { commit in
      Redaction(commit, [.init(key: nil, ordinals: OrdinalSet(places[commit] ?? []))])
    }
  }
}
