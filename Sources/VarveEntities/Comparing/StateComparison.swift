import VarveCore

/// What differs between two states, for those who order entities too.
struct StateComparison {
  private(set) var difference = Difference()
  /// The entities of which nothing differs but, perhaps, an order. A cell may repeat the value there
  /// was, which changes `modified`, and an earlier creation of the same date changes the order of
  /// creation. A relation stands at the place of its first declaration, so that an equal one, which
  /// arrives or is removed, may move it among the others.
  private(set) var moved: [(id: EntityID, type: EntityType)] = []

  /// A comparison of equal states.
  init() {}

  /// Compares the portraits of the entities that may differ.
  init(
    _ touched: Touched,
    _ old: [EntityID: Portrait],
    _ new: [EntityID: Portrait],
    _ dead: DeadTargets
  ) {
    difference = Difference(touched.ids, old, new, dead)
    let changed = Set(difference.changed.map(\.id))
    for id in touched.ids where !changed.contains(id) {
      guard let before = old[id], let after = new[id], let one = before.entity,
        let other = after.entity
      else { continue }
      guard
        one.modified != other.modified || touched.hasLifeCell(id) || !before.isOrdered(like: after)
      else { continue }
      moved.append((id, other.type))
    }
  }
}
