/// A known mistake of synchronisation, planted to prove that the simulation would find it. The
/// numbers are those of the field's pitfalls in the design.
package enum PlantedFault: String, CaseIterable, Sendable {
  /// 1: the local clock follows commits of a clock that is ahead.
  case clockFollows
  /// 2: commits of a copied file are taken for those of the other copy, because commits are named
  /// by number only.
  case hashesIgnored
  /// 3: of commits with the same time, whose tie no replica breaks, the first to arrive is kept.
  case noTieBreak
  /// 4: entities that died by a merge are erased again by a local commit.
  case cascades
  /// 5: an interrupted transaction leaves a part of it.
  case tornTransactions
  /// 6: a merge is refused if it would bring a duplicate name.
  case uniqueNames
  /// 7: everything sent counts as received.
  case lostAcknowledgements
  /// 8: more is sent than the other side can buffer.
  case noWindow
  /// 10: old erasures are forgotten before all replicas have received them.
  case tombstonesPruned
  /// 12: received values differ from those sent.
  case valuesChanged
  /// A compaction drops conflicting values.
  case conflictsFolded
  /// A store keeps and sends data that was purged elsewhere, as an older version would.
  case purgesIgnored
  /// Outlines are taken for complete commits.
  case outlinesTakenForWhole
  /// Outlines omit even the last value of a property that is written many times.
  case outlinesTooThin
  /// 13: commits are requested by the greatest stamp seen, which misses late ones.
  case cursorByTime
}
