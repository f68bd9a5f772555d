import VarveCore

/// An entity and all its direct and indirect owners, level by level, starting with the entity.
struct Owners {
  private(set) var ids: [EntityID]
  private var nodes: [Liveness.Node] = []
  private var edges: [(owner: Int, owned: Int)] = []

  init(of id: EntityID, in reader: any BackendReader) async throws {
    ids = [id]
    var numbers = [id: 0]
    var next = 0
    while next < ids.count {
      var node = Liveness.Node(isErased: try await reader.status(of: ids[next]) == .erased)
      for edge in try await reader.edges(to: ids[next], of: .owns) {
        guard !edge.isFromFormerLife else {
          node.hasDeadEndOutside = true
          continue
        }
        if numbers[edge.source] == nil {
          numbers[edge.source] = ids.count
          ids.append(edge.source)
        }
        if let owner = numbers[edge.source] { edges.append((owner, next)) }
      }
      nodes.append(node)
      next += 1
    }
  }

  /// Returns how many of ``ids``, from the first on, must be restored for the entity to live; all
  /// of them if even that is not enough. Uses binary search, because restoring more never kills.
  ///
  /// - Complexity: O(entities and edges × log entities).
  func countToRestore() -> Int {
    var (low, high) = (1, ids.count)
    while low < high {
      let middle = low + (high - low) / 2
      if lives(restoring: middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private func lives(restoring count: Int) -> Bool {
    var nodes = nodes
    for index in 0..<count { nodes[index].isErased = false }
    return !Liveness(nodes: nodes, edges: edges).isDead[0]
  }
}
