import VarveCore

/// Moves the tables of a past state to another moment.
extension Session {
  /// Moves tables to another moment by the changes in between. Returns false if that is impossible.
  func move(
    _ past: inout PastTables,
    to moment: Moment,
    _ filter: MomentFilter,
    whole: Bool
  ) throws -> Bool {
    guard try canMove(past, to: moment, filter) else { return false }
    var changes = PastChanges()
    if let notes = pastNotes { changes.formUnion(notes.new) }
    let back = past.back.intersection(filter)
    let isGrowing = whole && !past.isWhole
    past.isWhole = past.isWhole || whole
    var commits = try log.commits(
      leftOutBy: back,
      not: isGrowing ? nil : past.back,
      livesOnly: !past.isWhole
    )
    if filter.bounds == nil {
      try leave(past.filter.history.cutoff, for: filter.history.cutoff, &past, &changes)
    } else {
      commits += try log.commits(leftOutBy: filter, not: past.filter)
      commits += try log.commits(leftOutBy: past.filter, not: filter)
    }
    changes.formUnion(try self.changes(by: commits, livesOnly: !past.isWhole))
    let old = past.filter
    (past.moment, past.filter, past.back) = (moment, filter, back)
    pastNotes?.new = PastChanges()
    try examine(changes, from: old, in: &past)
    return true
  }

  private func canMove(
    _ past: PastTables,
    to moment: Moment,
    _ filter: MomentFilter
  ) throws -> Bool {
    guard past.catalogueVersion == catalogue.version, filter.isComparable(with: past.filter),
      try past.withheldCount == log.withheldCount, try !log.hasAwaited
    else { return false }
    // New commits may change entities that the tables show in their present state.
    if try past.lastCommit != log.lastCommit { return false }
    // It is not known which commits would make a single entity differ.
    return past.isWhole || filter.bounds == nil || past.moment == moment
  }

  /// Adds the examined entities to which something was written between two times.
  ///
  /// - Complexity: O(log entities + result).
  private func leave(
    _ old: HybridTime,
    for new: HybridTime,
    _ past: inout PastTables,
    _ changes: inout PastChanges
  ) throws {
    guard old != new else { return }
    if !past.hasIntervals {
      try connection.execute(
        """
        CREATE INDEX temp.varve_past_since ON varve_past_identity (since);
        CREATE INDEX temp.varve_past_until ON varve_past_identity (until);
        """
      )
      past.hasIntervals = true
    }
    let condition = old < new ? "until <= ?" : "since > ?"
    let statement = try connection.ownStatement(
      "SELECT id, turned FROM temp.varve_past_identity WHERE \(condition)"
    )
    statement.bind(1, new.rawValue)
    while try statement.step() {
      let id = try statement.id(0)
      if statement.int(1) != 0 { changes.turned.insert(id) } else { changes.named.insert(id) }
    }
  }
}
