/// An add to a relation, whether it counts or not, with everything known about it.
package struct RecordedAdd: Sendable {
  /// A removal of the add.
  package struct Removal: Hashable, Sendable {
    package var commit: CommitSummary
    /// The time from which the add is removed.
    package var time: HybridTime

    package init(by commit: CommitSummary, at time: HybridTime) {
      self.commit = commit
      self.time = time
    }
  }

  package var target: EntityID
  package var position: ListPosition
  package var add: AddID
  /// The time from which it holds.
  package var time: HybridTime
  /// The commit that added it.
  package var commit: CommitSummary
  /// The removals, in no order.
  package var removals: [Removal]
  /// Whether an end that it depends on was re-created since.
  package var isFromFormerLife: Bool
  /// Whether it is one fact with a property (R28).
  package var isPaired: Bool

  package init(
    target: EntityID,
    position: ListPosition,
    add: AddID,
    time: HybridTime,
    commit: CommitSummary,
    removals: [Removal],
    isFromFormerLife: Bool,
    isPaired: Bool
  ) {
    self.target = target
    self.position = position
    self.add = add
    self.time = time
    self.commit = commit
    self.removals = removals
    self.isFromFormerLife = isFromFormerLife
    self.isPaired = isPaired
  }

  /// Whether the add counts.
  package var stands: Bool { removals.isEmpty && !isFromFormerLife }
}
