/// Who died and who came back.
package struct LifeChanges: Sendable, Hashable {
  package var died: [EntityID] = []
  package var revived: [EntityID] = []

  package init() {}

  /// Nobody.
  package static let none = LifeChanges()

  /// What several changes, one after another, come to: who died and came back did neither.
  ///
  /// - Complexity: O(all).
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
