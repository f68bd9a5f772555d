/// The position of a commit in the total order of commits: by stamp, and by hash if a fork made two
/// commits of one stamp.
package struct CommitOrder: Hashable, Comparable, Sendable {
  package let stamp: Stamp
  package let hash: ContentDigest

  package init(stamp: Stamp, hash: ContentDigest) {
    self.stamp = stamp
    self.hash = hash
  }

  package static func < (left: CommitOrder, right: CommitOrder) -> Bool {
    left.stamp == right.stamp ? left.hash < right.hash : left.stamp < right.stamp
  }
}

/// The position of a cell among those of one property or one life: by time, commit, ordinal (R4).
package struct CellOrder: Hashable, Comparable, Sendable {
  package let time: HybridTime
  package let commit: CommitOrder
  package let ordinal: Int

  package init(time: HybridTime, commit: CommitOrder, ordinal: Int) {
    self.time = time
    self.commit = commit
    self.ordinal = ordinal
  }

  package static func < (left: CellOrder, right: CellOrder) -> Bool {
    if left.time != right.time { return left.time < right.time }
    if left.commit != right.commit { return left.commit < right.commit }
    return left.ordinal < right.ordinal
  }

  /// Returns whether this cell was written after another, whatever their times (R15).
  package func isWritten(after other: CellOrder) -> Bool {
    commit == other.commit ? ordinal > other.ordinal : other.commit < commit
  }
}
