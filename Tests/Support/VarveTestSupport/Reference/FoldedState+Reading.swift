package import VarveCore

/// A folded state in the words of the port.
extension FoldedState {
  package func status(of id: EntityID) -> EntityStatus {
    guard let entity = entities[id], let type = entity.type else { return .unknown }
    return entity.isErased ? .erased : entity.isDead ? .dead : .live(type)
  }

  package func entity(_ id: EntityID) -> VarveCore.StoredEntity? {
    isLive(id) ? entities[id].flatMap(\.snapshot) : nil
  }

  /// The live entities, in creation order.
  package var snapshots: [VarveCore.StoredEntity] { live.compactMap(\.snapshot) }

  package func edges(from source: EntityID, in relation: Relation?) -> [VarveCore.RelationEdge] {
    let standing = edges.filter { edge in
      edge.source == source && !edge.isFromFormerLife
        && (relation.map { $0 == edge.relation } ?? true)
    }
    return Self.grouped(standing)
  }

  package func edges(to target: EntityID, of kind: Relation.Kind) -> [VarveCore.RelationEdge] {
    let standing = edges.filter { $0.target == target && $0.relation.kind == kind }
    return Self.grouped(standing.sorted { $1.order.isWritten(after: $0.order) })
  }

  private struct Ends: Hashable {
    let source: EntityID
    let relation: Relation
    let target: EntityID
    let isFromFormerLife: Bool
  }

  /// Returns one edge for all equal adds, at the place of the first.
  static func grouped(_ edges: [Edge]) -> [VarveCore.RelationEdge] {
    var places: [Ends: Int] = [:]
    var grouped: [[Edge]] = []
    for edge in edges {
      let ends = Ends(
        source: edge.source,
        relation: edge.relation,
        target: edge.target,
        isFromFormerLife: edge.isFromFormerLife
      )
      let place = places[ends, default: grouped.count]
      if place == grouped.count {
        places[ends] = place
        grouped.append([])
      }
      grouped[place].append(edge)
    }
    return grouped.map { same in
      VarveCore.RelationEdge(
        source: same[0].source,
        relation: same[0].relation,
        target: same[0].target,
        position: same.reduce(same[0].position) { min($0, $1.position) },
        adds: same.map(\.id),
        isFromFormerLife: same[0].isFromFormerLife
      )
    }
  }
}

extension FoldedState.Entity {
  /// The entity as readers get it; nil if it was never created.
  fileprivate var snapshot: VarveCore.StoredEntity? {
    guard let type else { return nil }
    var others: [PropertyKey: VarveCore.StoredEntity.Property] = [:]
    for (key, property) in properties {
      guard let value = property.value else { continue }
      others[key] = VarveCore.StoredEntity.Property(value, semanticType: property.semanticType)
    }
    return VarveCore.StoredEntity(
      id: id,
      type: type,
      datestamp: datestamp,
      modified: modified,
      shape: .empty,
      values: [],
      others: others
    )
  }

  /// The re-creation that counts, if there was one.
  var rebirth: CellOrder? {
    history.first { cell in
      if case .life(.recreated) = cell.content { true } else { false }
    }?.order
  }

  /// Returns the cells of one property in this life, or of the life itself, greatest first.
  package func cells(of key: PropertyKey?) -> [FoldedState.HistoryCell] {
    let rebirth = rebirth
    return history.filter { cell in
      guard let key else { return cell.content.key == nil }
      return cell.content.key == key && (rebirth.map(cell.order.isWritten(after:)) ?? true)
    }
  }
}
