import VarveCore

/// The place of a cell of history, and its order.
struct Touch {
  var time: HybridTime
  var block: Int64
  var ordinal: Int
  var info: CommitInfo

  var order: CellOrder { CellOrder(time: time, commit: info.order, ordinal: ordinal) }

  /// Returns whether the cell was written after a re-creation; true if there was none.
  func isWritten(after rebirth: CellOrder?) -> Bool {
    rebirth.map { order.isWritten(after: $0) } ?? true
  }
}

extension Session {
  /// Calls the body with the touches of one key, latest time first, until it returns false.
  func forEachTouch(
    row: Int64,
    key: Int64,
    notAfter limit: HybridTime = .distantFuture,
    _ body: (Touch) throws -> Bool
  ) throws {
    try touches.forEach(row: row, key: key, notAfter: limit) { try body(touch($0)) }
  }

  /// Returns a touch with its commit, which may have to be read.
  func touch(_ entry: TouchIndex.Entry) throws -> Touch {
    Touch(
      time: HybridTime(rawValue: entry.time),
      block: entry.block,
      ordinal: Int(entry.ordinal),
      info: try log.commit(ofBlock: entry.block)
    )
  }
}
