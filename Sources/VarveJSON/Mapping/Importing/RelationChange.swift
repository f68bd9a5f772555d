import VarveCore
import VarveStore

/// What a document says of one relation of an entity, against what it was.
struct RelationChange {
  let link: CompiledMapping.Link
  /// The targets it had; nil for one that was never set.
  let former: [EntityID]?
  /// The targets it gets.
  var targets: [EntityID]

  /// What the document says where merging keeps more: all that goes along is declared to these alone.
  var said: [EntityID]?

  /// The targets that edges and inverses are declared to.
  var declared: [EntityID] { said.map(Self.unique) ?? targets }

  /// The targets that go.
  var given: [EntityID] {
    let kept = Set(targets)
    return (former ?? []).filter { !kept.contains($0) }
  }

  /// Whether the relation gets what it had.
  var isNothing: Bool {
    guard let former else { return false }
    return Self.isSame(former, targets, link.relation.many)
  }

  /// Whether lists say the same.
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

  /// What a relation to many shall hold, given what it holds and what the document says.
  ///
  /// A list that is merged holds each target as often as either says, so that the repetitions of a
  /// document are kept, and come to nothing when it is read again.
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
