import VarveCore

/// Copies of single rows.
struct RowMemory {
  /// The identifier looked up last in this transaction.
  var identity: Identity?
  /// The row whose overflow column is being changed.
  var buffered: BufferedRow?
  /// The place in creation order of the last row of each type, where known.
  var placements: [Int64: CellOrder] = [:]

  /// Gives the placements of the commit being written its hash, which was not known before. After a
  /// fork another commit may have the same stamp, and the hash decides.
  mutating func settle(_ commit: CommitID) {
    for (number, placement) in placements where placement.commit.hash == .zero {
      let order = CommitOrder(stamp: placement.commit.stamp, hash: commit.hash)
      placements[number] = CellOrder(
        time: placement.time,
        commit: order,
        ordinal: placement.ordinal
      )
    }
  }
}

extension Session: InvariantChecking {
  /// Compares the copies of single rows with the rows.
  func checkRows() throws {
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
