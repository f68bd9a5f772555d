import VarveCore
import VarveStore

/// The change of one relation of an entity.
struct RelationChange {
  let link: CompiledMapping.Link
  /// The former targets; nil if the relation was never set.
  let former: [EntityID]?
  /// The new targets.
  var targets: [EntityID]

  /// The targets in the document, if merging keeps more. Edges and inverses are added for these
  /// only.
  var said: [EntityID]?

  /// The targets for which edges and inverses are added.
  var declared: [EntityID] { said.map(Self.unique) ?? targets }

  /// The former targets that are removed.
  var given: [EntityID] {
    let kept = Set(targets)
    return (former ?? []).filter { !kept.contains($0) }
  }

  /// The new targets at the end and the former ones that are removed, if the others stay in their
  /// order; nil if not, or if the relation was never set.
  var difference: (new: [EntityID], given: [EntityID])? {
    guard let former else { return nil }
    let given = Set(given)
    let rest = former.filter { !given.contains($0) }
    guard targets.starts(with: rest) else { return nil }
    return (Array(targets.dropFirst(rest.count)), RelationChange.unique(self.given))
  }

  /// Whether the relation does not change.
  var isNothing: Bool {
    guard let former else { return false }
    return Self.isSame(former, targets, link.relation.many)
  }

  /// Returns whether two lists are equal for a kind of collection.
  static func isSame(_ one: [EntityID], _ other: [EntityID], _ kind: CollectionKind?) -> Bool {
    switch kind {
    case nil, .list: one == other
    case .orderedSet: unique(one) == unique(other)
    case .set: Set(one) == Set(other)
    }
  }

  static func unique(_ ids: [EntityID]) -> [EntityID] {
    var seen: Set<EntityID> = []
    return ids.filter { seen.insert($0).inserted }
  }

  /// Returns the new targets of a to-many relation, given its present targets and those of the
  /// document.
  ///
  /// A merged list has each target as often as the longer of both occurrences, so that a document's
  /// repetitions are kept, and importing it again changes nothing.
  static func targets(_ present: [EntityID], _ said: [EntityID], _ link: CompiledMapping.Link)
    -> [EntityID]
  {
    guard link.policy == .merge else { return said }
    guard link.relation.many == .list else {
      var seen = Set(present)
      return present + said.filter { seen.insert($0).inserted }
    }
    var counts = present.reduce(into: [EntityID: Int]()) { $0[$1, default: 0] += 1 }
    return present
      + said.filter { id in
        let count = counts[id, default: 0]
        counts[id] = count - 1
        return count <= 0
      }
  }
}
