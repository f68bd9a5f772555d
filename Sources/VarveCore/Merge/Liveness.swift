/// Computes which entities are dead, from the erased ones and the ownership edges (R16).
///
/// The nodes are a part of the graph that contains everything its nodes own. The effect of owners
/// outside the part is an input of the node.
///
/// - Complexity: O(nodes + edges), without recursion.
package struct Liveness {
  /// The input for a node.
  package struct Node: Sendable {
    /// Whether the node itself is erased.
    package var isErased: Bool
    /// Whether an owner outside the part is erased, or is below an erased entity.
    package var hasDeadEndOutside = false
    /// Whether an owner outside the part is neither erased nor below, or is below and lives.
    package var hasLiveOwnerOutside = false

    package init(isErased: Bool) { self.isErased = isErased }
  }

  /// For each node, whether an ownership path leads to it from an erased node.
  package private(set) var isBelow: [Bool]
  /// For each node, whether it is dead.
  package private(set) var isDead: [Bool]

  /// Computes liveness for nodes 0..<count and edges from owner to owned.
  package init(nodes: [Node], edges: [(owner: Int, owned: Int)]) {
    let owned = Self.adjacency(count: nodes.count, edges: edges)
    isBelow = Self.reached(from: nodes.indices.filter { nodes[$0].isErased }, owned) { _ in true }
    let seeds = nodes.indices.filter { nodes[$0].hasDeadEndOutside }
    if !seeds.isEmpty {
      let more = Self.reached(from: seeds, owned) { _ in true }
      for index in nodes.indices {
        isBelow[index] = isBelow[index] || more[index] || nodes[index].hasDeadEndOutside
      }
    }
    let below = isBelow
    let roots = nodes.indices.filter { index in
      !nodes[index].isErased && (!below[index] || nodes[index].hasLiveOwnerOutside)
    }
    var isAlive = Self.reached(from: roots, owned) { !nodes[$0].isErased }
    for root in roots { isAlive[root] = true }
    isDead = isAlive.map { !$0 }
  }

  /// The targets of each node, in one array with offsets.
  private struct Adjacency {
    var starts: [Int]
    var targets: [Int]
  }

  private static func adjacency(count: Int, edges: [(owner: Int, owned: Int)]) -> Adjacency {
    var starts = [Int](repeating: 0, count: count + 1)
    for edge in edges { starts[edge.owner + 1] += 1 }
    for index in 0..<count { starts[index + 1] += starts[index] }
    var next = starts
    var targets = [Int](repeating: 0, count: edges.count)
    for edge in edges {
      targets[next[edge.owner]] = edge.owned
      next[edge.owner] += 1
    }
    return Adjacency(starts: starts, targets: targets)
  }

  /// Returns the nodes that a path of at least one edge leads to, through nodes that may be passed.
  private static func reached(
    from sources: [Int],
    _ adjacency: Adjacency,
    passing mayPass: (Int) -> Bool
  ) -> [Bool] {
    var reached = [Bool](repeating: false, count: adjacency.starts.count - 1)
    var pending = sources
    while let node = pending.popLast() {
      for index in adjacency.starts[node]..<adjacency.starts[node + 1] {
        let target = adjacency.targets[index]
        guard !reached[target], mayPass(target) else { continue }
        reached[target] = true
        pending.append(target)
      }
    }
    return reached
  }
}
