import VarveCore

/// Copies of single rows.
struct RowMemory {
  /// The identifier looked up last in this transaction.
  var identity: Identity?
  /// The row whose overflow column is being changed.
  var buffered: BufferedRow?
  /// The place in creation order of the last row of each type, where known.
  var placements: [Int64: CellOrder] = [:]
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
      guard let layout = catalogue.layouts[number] else { continue }
      try require(
        try placementOfLastRow(of: layout, before: .max).map { $0 <= placement } ?? true,
        "a row stands after the one taken for the last"
      )
    }
  }
}
