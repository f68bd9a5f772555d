import VarveCore

/// The liveness of a folded state.
extension FoldedState {
  /// Applies R16 to the whole graph.
  mutating func applyLiveness() {
    var numbers: [EntityID: Int] = [:]
    var ids: [EntityID] = []
    var nodes: [Liveness.Node] = []
    func number(_ id: EntityID, _ isErased: Bool) -> Int {
      if let number = numbers[id] { return number }
      numbers[id] = nodes.count
      ids.append(id)
      nodes.append(Liveness.Node(isErased: isErased))
      return nodes.count - 1
    }
    for (id, entity) in entities { _ = number(id, entity.isErased) }
    var pairs: [(owner: Int, owned: Int)] = []
    for edge in edges where edge.relation.kind == .owns {
      let owned = number(edge.target, false)
      guard !edge.isFromFormerLife else {
        nodes[owned].hasDeadEndOutside = true
        continue
      }
      pairs.append((number(edge.source, false), owned))
    }
    let liveness = Liveness(nodes: nodes, edges: pairs)
    for index in nodes.indices where liveness.isDead[index] {
      entities[ids[index], default: Entity(id: ids[index])].isDead = true
    }
  }
}
