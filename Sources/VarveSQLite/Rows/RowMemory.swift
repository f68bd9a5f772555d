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
    var index = placements.startIndex
    while index != placements.endIndex {
      let placement = placements.values[index]
      if placement.commit.hash == .zero {
        // In place: this runs in every commit, and another loop would copy the dictionary.
        placements.values[index] = CellOrder(
          time: placement.time,
          commit: CommitOrder(stamp: placement.commit.stamp, hash: commit.hash),
          ordinal: placement.ordinal
        )
      }
      placements.formIndex(after: &index)
    }
  }
}
