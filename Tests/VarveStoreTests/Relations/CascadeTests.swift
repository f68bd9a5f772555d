import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("A store agrees with a naive cascade")
struct CascadeTests {
  /// Many graphs share a store, so that a history costs few commits.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `on random histories of a single replica, step by step`(part: UInt64) async throws {
    let store = try await makeStore(.memory)
    var graphs = (0..<25).map { Graph(seed: part * 25 + $0) }
    for step in 0..<18 {
      try await store.write { tx in
        for index in graphs.indices { try await graphs[index].step(tx) }
      }
      guard step % 6 == 5 else { continue }
      for graph in graphs { try await graph.compare(with: store) }
    }
    #expect(try await store.check().findings == [])
    try await store.close()
  }

  /// A few entities of a store, and their expected lives.
  private struct Graph {
    let seed: UInt64
    private var random: SplitMix64
    private var naive = NaiveOwnership()
    private var trace: [OwnershipStep] = []

    init(seed: UInt64) {
      self.seed = seed
      random = SplitMix64(seed: seed)
    }

    private func id(_ number: Int) -> EntityID { EntityID(unchecked: "\(seed)-\(number)") }

    mutating func step(_ tx: WriteTransaction) async throws {
      let step = OwnershipStep.random(entityCount: 5, &random)
      let isAllowed = allows(step)
      step.apply(to: &naive)
      guard isAllowed else { return }
      trace.append(step)
      switch step {
      case .create(let one): try await tx.create("node", id: id(one))
      case .relate(let owner, let owned): try await tx.relate(id(owner), .owns, id(owned))
      case .claim(let owned, let owner): try await tx.relate(id(owned), .ownedBy, id(owner))
      case .renounce(let owner, let owned): try await tx.unrelate(id(owner), .owns, id(owned))
      case .erase(let one): try await tx.erase(id(one))
      case .restore(let one): try await tx.restore(id(one), .asRoot)
      }
    }

    /// Whether the naive model performs the step. If it refuses, the store may refuse too, or
    /// do in its own way.
    private func allows(_ step: OwnershipStep) -> Bool {
      let statuses = naive.statuses
      switch step {
      case .create(let one): return statuses[one] != .live
      case .relate(let owner, let owned):
        return statuses[owner] == .live && (statuses[owned] ?? .live) == .live
      case .claim(let owned, let owner):
        return statuses[owner] == nil && statuses[owned] == .live
          && !naive.ownerships.contains { $0.owned == owner }
      case .renounce(let owner, _): return statuses[owner] == .live
      case .erase(let one): return statuses[one] == .live
      case .restore(let one): return statuses[one] != nil && statuses[one] != .live
      }
    }

    func compare(with store: Store) async throws {
      for (entity, status) in naive.statuses where entity >= 0 {
        let isLive = try await store.entity(id(entity)) != nil
        #expect(isLive == (status == .live), "seed \(seed), entity \(entity) after \(trace)")
      }
    }
  }
}
