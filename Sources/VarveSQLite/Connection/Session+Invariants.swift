import VarveCore

extension Session: InvariantChecking {
  /// Compares every copy with its tables. Call at the end of a write transaction.
  ///
  /// - Complexity: O(copies + catalogue).
  func checkInvariants() throws {
    try catalogue.checkInvariants()
    try log.checkInvariants()
    try touches.checkInvariants()
    try checkRows()
  }

  /// Compares the copies of single rows with the rows.
  private func checkRows() throws {
    try require(rows.buffered == nil, "a row is kept back at the end of a transaction")
    try require(applying.deferred == nil, "it is still open who lives")
    try require(plans.isUpTo(catalogue.version), "a plan is of a catalogue that is still to come")
    if let known = rows.identity {
      rows.identity = nil
      try require(try identity(known.id) == known, "an identity in memory is not the stored one")
    }
    for (number, placement) in rows.placements {
      // Of rows that are out of order anyway, the placement is not kept up.
      guard let layout = catalogue.layouts[number], layout.isInOrder else { continue }
      guard let last = try placementOfLastRow(of: layout, before: .max) else { continue }
      try require(last <= placement, "a row stands after the one remembered as the last")
    }
  }
}
