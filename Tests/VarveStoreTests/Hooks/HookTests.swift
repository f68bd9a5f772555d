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
    registration.cancel()
    #expect(try await store.erase("A") == ["A", "B"])
  }

  @Test(arguments: Engine.allCases)
  func `a hook that throws after others ran leaves the entities, and the others have run`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("A", "B", "C")
    try await store.own(("A", "B"), ("A", "C"))
    let witness = Witness()
    store.willErase { entity, _ in witness.saw(entity.id) }
    store.willErase { entity, _ in
      if entity.id == "C" { throw VarveError(.hookRefused, "no") }
    }
    let before = try await store.commitCount()
    let error = await failure {
      try await store.write { tx in
        try await tx.set("B", "x", 1)
        let refusal = await failure { try await tx.erase("A") }
        #expect(refusal?.code == .hookRefused)
        #expect(try await tx.status(of: "A") == .live("node"))
      }
    }
    #expect(error == nil)
    #expect(witness.seen == ["A", "B", "C"])
    #expect(try await store.commitCount() == before + 1)
    #expect(try await store.require("B")["x"] == 1)
  }

  @Test(arguments: [Engine.memory, .file])
  func `a hook that erases or writes through the store gets nestedTransaction`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("A", "B", "C")
    let bodies: [@Sendable () async throws -> Void] = [
      { try await store.erase("B") }, { try await store.set("B", "x", 1) },
      { try await store.relate("B", .owns, "C") }, { _ = try await store.entity("B") },
    ]
    for body in bodies {
      let registration = store.willErase { _, _ in try await body() }
      #expect(await failure { try await store.erase("A") }?.code == .nestedTransaction)
      registration.cancel()
    }
    #expect(try await store.live("A", "B", "C").count == 3)
    #expect(try await store.check().findings == [])
  }

  @Test func `hooks may write to another store`() async throws {
    let (store, trash) = (try await makeStore(.memory), try await makeStore(.memory))
    try await store.createNodes("A", "B")
    try await store.own(("A", "B"))
    store.willErase { entity, _ in try await trash.create("Trash", id: entity.id) }
    try await store.erase("A")
    #expect(try await trash.live("A", "B") == ["A", "B"])
  }

  @Test(arguments: Engine.allCases)
  func `hooks do not run for deaths by a merge, skipped entities, or co-owned ones`(
    engine: Engine
  ) async throws {
    let (store, other) = (try await makeStore(engine), try await makeStore(engine))
    try await store.createNodes("A", "B", "C")
    try await store.own(("A", "C"), ("B", "C"))
    try await other.merge(from: store)
    let witness = Witness()
    other.willErase { entity, _ in witness.saw(entity.id) }
    #expect(try await other.erase(["A", "A", "nobody"]) == ["A"])
    #expect(try await other.erase("A").isEmpty)
    #expect(await failure { try await other.erase(["B", "A"], strict: true) }?.code == .notFound)
    #expect(witness.seen == ["A"])
    try await store.erase("B")
    try await other.merge(from: store)
    #expect(witness.seen == ["A"])
    #expect(try await other.live("A", "B", "C").isEmpty)
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
