import VarveCore

/// Reads a page of a past state without its tables, which pay off only if more is read.
extension Session {
  /// Returns the first entities of a type at a moment, in the order of creation.
  ///
  /// - Returns: nil if rows are not in that order, or if a life or an ownership changed since: then
  ///   the present may lack entities of the page.
  /// - Complexity: O(present rows up to the last one needed × properties × log touches).
  func firstPage(
    of type: Int64,
    count needed: Int,
    _ filter: MomentFilter
  ) throws -> [StoredEntity]? {
    guard let layout = catalogue.layouts[type], layout.isInOrder else { return nil }
    let commits = try log.commits(leftOutBy: filter, livesOnly: true)
    guard try changes(by: commits, livesOnly: true).isEmpty else { return nil }
    var entities: [StoredEntity] = []
    var last = Int64(0)
    while entities.count < needed {
      let found = try identities(layout, after: last, needed - entities.count)
      guard let end = found.last?.row else { break }
      try gatheringTouches(of: found) {
        for identity in found {
          try Task.checkCancellation()
          if let entity = try entity(identity, layout, filter) { entities.append(entity) }
        }
      }
      last = end
    }
    return entities
  }

  /// Returns the former state of a present entity whose life and ownerships have not changed since;
  /// nil if it was not there, or was of another type.
  private func entity(
    _ identity: Identity,
    _ layout: TableLayout,
    _ filter: MomentFilter
  ) throws -> StoredEntity? {
    if filter.bounds == nil, let row = identity.row {
      let time = filter.history.cutoff
      let span = try span(of: identity, around: time, withOwnerships: false)
      if span.until == nil { return try entity(identity.id, row: row, layout) }
    }
    let state = try reconstruct(identity, filter.history)
    var was = identity
    was.setLife(of: state, type: state.type.flatMap { catalogue.typeNumbers[$0] })
    was.flags.formUnion(identity.flags.intersection(.byOwners))
    guard was.isLive, was.type == layout.typeNumber else { return nil }
    return entity(state, of: was)
  }
}
