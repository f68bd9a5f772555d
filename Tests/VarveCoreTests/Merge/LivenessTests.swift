import Testing
import VarveCore
import VarveTestSupport

@Suite("Liveness agrees with a naive cascade")
struct LivenessTests {
  @Test func `on 10,000 random lives of small graphs, step by step`() {
    for seed in 0..<10_000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let naive = randomLife(entityCount: 6, stepCount: 24, &random)
      let liveness = Liveness(naive)
      for (entity, status) in naive.statuses {
        let isDead = liveness[entity]
        #expect(isDead == (status != .live), "seed \(seed), entity \(entity)")
      }
    }
  }

  @Test func `and a part of a graph, given its surroundings, with the whole`() {
    for seed in 0..<2_000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let count = 9
      let nodes = (0..<count).map { _ in Liveness.Node(isErased: random.chance(25)) }
      let edges = (0..<14).map { _ in
        (
          owner: Int.random(in: 0..<count, using: &random),
          owned: Int.random(in: 0..<count, using: &random)
        )
      }
      let whole = Liveness(nodes: nodes, edges: edges)
      let part = closure(of: Int.random(in: 0..<count, using: &random), edges)
      var partNodes = part.map { nodes[$0] }
      var partEdges: [(owner: Int, owned: Int)] = []
      for edge in edges {
        guard let owned = part.firstIndex(of: edge.owned) else { continue }
        if let owner = part.firstIndex(of: edge.owner) {
          partEdges.append((owner, owned))
        } else {
          let isDeadEnd = nodes[edge.owner].isErased || whole.isBelow[edge.owner]
          if isDeadEnd { partNodes[owned].hasDeadEndOutside = true }
          if !whole.isDead[edge.owner] { partNodes[owned].hasLiveOwnerOutside = true }
        }
      }
      let answer = Liveness(nodes: partNodes, edges: partEdges)
      #expect(answer.isDead == part.map { whole.isDead[$0] }, "seed \(seed)")
      #expect(answer.isBelow == part.map { whole.isBelow[$0] }, "seed \(seed)")
    }
  }

  private func randomLife(
    entityCount: Int,
    stepCount: Int,
    _ random: inout SplitMix64
  ) -> NaiveOwnership {
    var naive = NaiveOwnership()
    for _ in 0..<stepCount {
      OwnershipStep.random(entityCount: entityCount, &random).apply(to: &naive)
    }
    return naive
  }

  /// A node and all it leads to.
  private func closure(of node: Int, _ edges: [(owner: Int, owned: Int)]) -> [Int] {
    var found = [node]
    var index = 0
    while index < found.count {
      for edge in edges where edge.owner == found[index] && !found.contains(edge.owned) {
        found.append(edge.owned)
      }
      index += 1
    }
    return found
  }
}

/// Whether each entity of a naive model is dead, by its erased ones and its edges alone.
extension Liveness {
  fileprivate init(_ naive: NaiveOwnership) {
    var nodes = [Node](repeating: Node(isErased: false), count: Self.offset * 2)
    for (entity, status) in naive.statuses where status == .erased {
      nodes[entity + Self.offset].isErased = true
    }
    let edges = naive.ownerships.map {
      (owner: $0.owner + Self.offset, owned: $0.owned + Self.offset)
    }
    self.init(nodes: nodes, edges: edges)
  }

  /// Graves have negative numbers.
  private static let offset = 32

  fileprivate subscript(entity: Int) -> Bool { isDead[entity + Self.offset] }
}
