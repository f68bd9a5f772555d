import Synchronization
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite struct HookTests {
  /// What hooks saw.
  private final class Witness: Sendable {
    private let entries = Mutex<[EntityID]>([])
    var seen: [EntityID] { entries.withLock { $0 } }
    func saw(_ id: EntityID) { entries.withLock { $0.append(id) } }
  }

  @Test(arguments: Engine.allCases)
  func `hooks run owners first, depth first, with the whole graph readable`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("A", "B", "C", "D")
    try await store.own(("A", "C"), ("A", "B"), ("C", "D"))
    let witness = Witness()
    store.willErase { entity, state in
      let present = try await state.entities(["A", "B", "C", "D"])
      #expect(present.compactMap(\.?.id).count == 4)
      witness.saw(entity.id)
    }
    #expect(try await store.erase("A") == ["A", "C", "D", "B"])
    #expect(witness.seen == ["A", "C", "D", "B"])
  }

  @Test(arguments: Engine.allCases)
  func `a hook that throws vetoes the whole erase`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("A", "B")
    try await store.own(("A", "B"))
    let registration = store.willErase { entity, _ in
      if entity.id == "B" { throw VarveError(.hookRefused, "no") }
    }
    #expect(await failure { try await store.erase("A") }?.code == .hookRefused)
    #expect(try await store.live("A", "B") == ["A", "B"])
    registration.remove()
    #expect(try await store.erase("A") == ["A", "B"])
  }

  @Test(arguments: 0..<60)
  func `hooks run for exactly those that die, whatever the graph`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let store = try await makeStore(.reference)
    let nodes = (0..<7).map { EntityID(stringLiteral: "n\($0)") }
    for node in nodes where Int.random(in: 0..<5, using: &random) > 0 {
      try await store.createNodes(node)
    }
    for _ in 0..<12 {
      let (one, other) = (nodes.randomElement(using: &random), nodes.randomElement(using: &random))
      guard let one, let other else { continue }
      _ = await failure { try await store.relate(one, .owns, other) }
    }
    let witness = Witness()
    store.willErase { entity, _ in witness.saw(entity.id) }
    for _ in 0..<3 {
      let roots = nodes.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
      let earlier = witness.seen.count
      let died = try await store.erase(roots)
      #expect(Array(witness.seen.dropFirst(earlier)) == died)
    }
  }
}
