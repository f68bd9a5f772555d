import VarveCore

extension FoldedState {
  /// Returns the elements of the first of some to-many properties that an entity has.
  func elements(of id: EntityID, _ keys: [PropertyKey]) -> [EntityID] {
    let key = keys.first { key in
      entities[id]?.properties[key].map { $0.value == nil } ?? false
    }
    guard let key = key ?? keys.first else { return [] }
    let relation = Relation(.member, key)
    return edges.filter { edge in
      edge.source == id && edge.relation == relation && !edge.isFromFormerLife
    }.map(\.target)
  }
}
