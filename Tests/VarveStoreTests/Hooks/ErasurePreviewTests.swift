import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("A preview of an erasure")
struct ErasurePreviewTests {
  @Test(arguments: Engine.allCases)
  func `lists the deaths, the survivors, and the reasons`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c", "d", "e")
    try await store.own(("a", "b"), ("a", "c"), ("b", "c"), ("b", "d"), ("e", "d"), ("new", "d"))
    let before = try await store.commitCount()
    let preview = try await store.previewErasure(of: ["a", "nobody", "a"])
    #expect(preview.deaths.map(\.id) == ["a", "b", "c"])
    #expect(preview.deaths.map(\.isNamed) == [true, false, false])
    #expect(preview.deaths.map(\.owners) == [[], ["a"], ["a", "b"]])
    #expect(preview.deaths.allSatisfy { $0.type == "node" })
    #expect(preview.survivors.map(\.id) == ["d"])
    #expect(preview.survivors.first?.owners == ["e", "new"])
    #expect(preview.missing == ["nobody"])
    #expect(try await store.commitCount() == before)
    #expect(try await store.live("a", "b", "c").count == 3)
  }

  @Test(arguments: Engine.allCases)
  func `a preview of an erasure is strict if asked, and empty if nothing lives`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("a")
    try await store.erase("a")
    let error = await failure { _ = try await store.previewErasure(of: ["a"], strict: true) }
    #expect(error?.code == .notFound)
    let preview = try await store.previewErasure(of: ["a"])
    #expect(preview.deaths.isEmpty && preview.survivors.isEmpty)
    #expect(preview.missing == ["a"])
  }

  @Test func `runs no hook, and sees the writes of the transaction it is asked in`() async throws {
    let store = try await makeStore(.memory)
    store.willErase { _, _ in throw VarveError(.hookRefused, "no") }
    try await store.write { tx in
      try await tx.create("node", id: "a")
      try await tx.create("node", id: "b")
      try await tx.relate("a", .owns, "b")
      #expect(try await tx.previewErasure(of: ["a"]).deaths.map(\.id) == ["a", "b"])
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a preview of an erasure equals the effect of the erasure, for any graph`(seed: UInt64)
    async throws
  {
    var random = SplitMix64(seed: seed)
    let store = try await makeStore(.memory)
    let nodes = (0..<8).map { EntityID(unchecked: "n\($0)") }
    try await store.write { tx in
      for node in nodes where random.chance(85) { try await tx.create("node", id: node) }
    }
    for _ in 0..<14 {
      let (one, other) = (random.pick(nodes), random.pick(nodes))
      _ = await failure { try await store.relate(one, .owns, other) }
    }
    let roots = nodes.filter { _ in random.chance(30) }
    let preview = try await store.previewErasure(of: roots)
    #expect(try await store.erase(roots) == preview.deaths.map(\.id), "seed \(seed)")
    for survivor in preview.survivors {
      #expect(try await store.entity(survivor.id) != nil, "seed \(seed), \(survivor.id)")
      #expect(!survivor.owners.isEmpty, "seed \(seed), \(survivor.id)")
    }
  }
}
