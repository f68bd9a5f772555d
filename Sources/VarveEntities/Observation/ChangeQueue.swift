/// The change sets that wait for a subscriber, oldest first.
///
/// Beyond a number of them the newest are joined into one. Joining costs as much as the joined set is
/// large, so later sets are collected until they have as many entities as it has. The queue holds a
/// limited number of entities for each that changed, and adding a set costs O(its entities) on
/// average.
package struct ChangeQueue: Sendable {
  /// The number of waiting change sets beyond which the newest are joined.
  package static let capacity = 1_024

  private var waiting: [ChangeSet] = []
  /// The index of the oldest. Those before it were taken.
  private var next = 0
  /// Sets that are part of the newest one that waits, and are not joined with it yet.
  private var unjoined: [ChangeSet] = []
  private var unjoinedEntityCount = 0

  package init() {}

  package var isEmpty: Bool { next == waiting.count }

  /// The number of sets that are held, including those that were taken or are not joined yet.
  package var heldCount: Int { waiting.count + unjoined.count }

  /// Adds a set that is not empty.
  package mutating func append(_ changes: ChangeSet) {
    guard waiting.count - next >= Self.capacity else {
      join()
      return waiting.append(changes)
    }
    unjoined.append(changes)
    unjoinedEntityCount += changes.entityCount
    if unjoinedEntityCount >= waiting[waiting.count - 1].entityCount { join() }
  }

  /// Removes and returns the oldest set.
  package mutating func pop() -> ChangeSet? {
    guard !isEmpty else { return nil }
    if next == waiting.count - 1 { join() }
    let changes = waiting[next]
    next += 1
    if isEmpty || next == Self.capacity {
      waiting.removeFirst(next)
      next = 0
    }
    return changes
  }

  private mutating func join() {
    guard !unjoined.isEmpty else { return }
    waiting[waiting.count - 1] = waiting[waiting.count - 1].joined(with: unjoined)
    unjoined.removeAll(keepingCapacity: true)
    unjoinedEntityCount = 0
  }
}
