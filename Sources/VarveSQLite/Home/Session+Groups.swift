import VarveCore

extension Session {
  /// Ends a commit after which another one follows in the same transaction.
  func endGroupedWrite() throws {
    try writeBufferedRow()
    if past != nil { try dropPast() }
    pastNotes = nil
    dropRelevances()
    rows.identity = nil
    endTogether()
  }
}
