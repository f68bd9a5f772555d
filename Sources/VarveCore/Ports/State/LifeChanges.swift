/// The entities that died and those that came back to life.
package struct LifeChanges: Sendable, Hashable {
  package var died: [EntityID] = []
  package var revived: [EntityID] = []

  package init() {}

  /// No changes.
  package static let none = LifeChanges()

  /// Creates the net effect of several consecutive changes. An entity that died and came back is in
  /// neither list.
  ///
  /// - Complexity: O(changes).
  package init(net changes: [LifeChanges]) {
    var fates: [EntityID: (first: Bool, last: Bool)] = [:]
    var order: [EntityID] = []
    for change in changes {
      for (ids, isDeath) in [(change.died, true), (change.revived, false)] {
        for id in ids {
          if fates[id] == nil { order.append(id) }
          fates[id] = (fates[id]?.first ?? isDeath, isDeath)
        }
      }
    }
    for id in order {
      switch fates[id] {
      case (true, true)?: died.append(id)
      case (false, false)?: revived.append(id)
      default: break
      }
    }
  }
}
