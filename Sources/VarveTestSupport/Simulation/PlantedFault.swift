/// A known mistake of synchronisation, planted to prove that the simulation would find it. The
/// numbers are those of the field's pitfalls in the design.
package enum PlantedFault: String, CaseIterable, Sendable {
  /// 1: the local clock follows commits of a clock that is ahead.
  case clockFollows
  /// 2: what a copied file wrote is taken for the other copy's, as numbers alone name commits.
  case hashesIgnored
  /// 3: of commits with one time, which no replica breaks the tie of, the first to come is kept.
  case noTieBreak
  /// 4: what died by a merge is deleted again, by a commit of one's own.
  case cascades
  /// 5: an interrupted transaction leaves a part of it.
  case tornTransactions
  /// 6: a merge is refused where a name comes to be there twice.
  case uniqueNames
  /// 7: what was sent counts as received, whether or not it was.
  case lostAcknowledgements
  /// 8: more is sent than the other side has room for.
  case noWindow
  /// 10: old erasures are forgotten before all have heard of them.
  case tombstonesPruned
  /// 12: what was written is not what arrives.
  case valuesChanged
  /// A compaction drops what is in conflict.
  case conflictsFolded
  /// A store keeps, and hands out, what was purged elsewhere, as one of a version before would.
  case purgesIgnored
  /// What came as outlines is taken for whole.
  case outlinesTakenForWhole
  /// Of a property that is written again and again, outlines leave out the last value too.
  case outlinesTooThin
  /// 13: commits are asked for by the greatest stamp seen, which late ones are below.
  case cursorByTime
}
