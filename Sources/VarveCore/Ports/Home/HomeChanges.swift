/// The changes that a turn commits together with its arrivals.
package struct HomeChanges: Sendable {
  /// The replica under which hosts write from now on; nil if it stays.
  package var replica: ReplicaID?
  /// Whether the copy of the log gets another incarnation, because it had gone back.
  package var isAnotherCopy = false
  /// Commits whose content is replaced by what redactions left of it. The former content is
  /// destroyed. Commits that are not here are skipped.
  package var replaced: [Commit] = []

  package init() {}

  /// Whether nothing but arrivals is committed.
  package var isEmpty: Bool { replica == nil && !isAnotherCopy && replaced.isEmpty }
}
