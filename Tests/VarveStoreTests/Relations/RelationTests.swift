import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Relating")
struct RelationTests {
  @Test(
    arguments: Engine.allCases
  )
  func `ownership is one edge, seen from both ends, whichever end declares it`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.relate("a", .owns, "b")
    try await store.relate("c", .ownedBy, "a")
    #expect(try await store.relatedIDs("a", .owns) == ["b", "c"])
    #expect(try await store.related("b", .ownedBy).map(\.id) == ["a"])
    #expect(try await store.relatedIDs("c", .ownedBy) == ["a"])
    #expect(try await store.relatedIDs("a", .ownedBy).isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `a free relation is seen from its source alone`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("c", "d")
    try await store.relate("c", .free, "d")
    #expect(try await store.relatedIDs("c", .free) == ["d"])
    #expect(try await store.relatedIDs("d", .free).isEmpty)
    #expect(try await store.relatedIDs("c", .owns).isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `relating twice keeps one edge and makes no second commit`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    for _ in 0..<2 {
      try await store.relate("a", .owns, "b")
      try await store.relate("b", .ownedBy, "a")
      try await store.relate("a", .free, "b")
    }
    #expect(try await store.relatedIDs("a", .owns) == ["b"])
    #expect(try await store.relatedIDs("a", .free) == ["b"])
    #expect(try await store.commitCount() == 3)
  }

  @Test(arguments: Engine.allCases)
  func `several may own several, in declaration order`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c", "d")
    try await store.own(("b", "d"), ("a", "d"), ("a", "c"), ("b", "c"))
    #expect(try await store.relatedIDs("a", .owns) == ["d", "c"])
    #expect(try await store.relatedIDs("d", .ownedBy) == ["b", "a"])
    #expect(try await store.relatedIDs("c", .ownedBy) == ["a", "b"])
  }

  @Test(arguments: Engine.allCases)
  func `names distinguish relations of one kind`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.relate("a", .free, "c", named: "reads")
    try await store.relate("a", .free, "b", named: "likes")
    try await store.relate("a", .free, "c", named: "likes")
    #expect(try await store.relatedIDs("a", .free, named: "reads") == ["c"])
    #expect(try await store.relatedIDs("a", .free, named: "likes") == ["b", "c"])
    #expect(try await store.relatedIDs("a", .free, named: "").isEmpty)
    #expect(try await store.relatedIDs("a", .free) == ["c", "b"])
    try await store.relate("a", .owns, "b", named: "parts")
    #expect(try await store.relatedIDs("b", .ownedBy, named: "parts") == ["a"])
    #expect(try await store.relatedIDs("b", .ownedBy, named: "").isEmpty)
    try await store.unrelate("a", .free, "c", named: "likes")
    #expect(try await store.relatedIDs("a", .free) == ["c", "b"])
  }

  @Test(arguments: Engine.allCases)
  func `an end may arrive after its edge`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("child")
    try await store.relate("child", .ownedBy, "owner")
    #expect(try await store.relatedIDs("child", .ownedBy) == ["owner"])
    #expect(try await store.related("child", .ownedBy).isEmpty)
    try await store.create("node", id: "owner")
    #expect(try await store.related("owner", .owns).map(\.id) == ["child"])
    #expect(try await store.erase("owner") == ["owner", "child"])
  }

  @Test(arguments: Engine.allCases)
  func `a free relation needs a live source`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a")
    #expect(await failure { try await store.relate("ghost", .free, "a") }?.code == .notFound)
    #expect(await failure { try await store.unrelate("ghost", .free, "a") }?.code == .notFound)
    try await store.relate("a", .free, "ghost")
    #expect(try await store.relatedIDs("a", .free) == ["ghost"])
  }

  @Test(arguments: Engine.allCases)
  func `relating a dead end is refused`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "live")
    try await store.own(("a", "b"))
    try await store.erase("a")
    for dead in ["a", "b"] as [EntityID] {
      for kind in RelationKind.allCases {
        #expect(await failure { try await store.relate(dead, kind, "live") }?.code == .notFound)
        #expect(await failure { try await store.relate("live", kind, dead) }?.code == .notFound)
        #expect(await failure { try await store.unrelate(dead, kind, "live") }?.code == .notFound)
      }
    }
  }

  @Test(arguments: Engine.allCases)
  func `an unknown owner below an erased one cannot own`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "child")
    try await store.relate("a", .owns, "ghost")
    try await store.erase("a")
    let error = await failure { try await store.relate("ghost", .owns, "child") }
    #expect(error?.code == .notFound)
    #expect(try await store.live("child") == ["child"])
  }

  @Test(arguments: Engine.allCases)
  func `renouncing detaches both ends, from either`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.own(("a", "b"), ("a", "c"))
    try await store.unrelate("a", .owns, "b")
    try await store.unrelate("c", .ownedBy, "a")
    #expect(try await store.relatedIDs("b", .ownedBy).isEmpty)
    #expect(try await store.relatedIDs("a", .owns).isEmpty)
    #expect(try await store.erase("a") == ["a"])
    #expect(try await store.live("b", "c") == ["b", "c"])
  }

  @Test(arguments: Engine.allCases)
  func `removing a relation that does not exist does nothing`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.unrelate("a", .owns, "b")
    try await store.unrelate("a", .free, "unknown")
    #expect(try await store.commitCount() == 1)
  }

  @Test(arguments: Engine.allCases)
  func `a relation to a dead entity can be removed`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.relate("a", .free, "b")
    try await store.erase("b")
    try await store.unrelate("a", .free, "b")
    try await store.restore("b")
    #expect(try await store.relatedIDs("a", .free).isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `an edge that is removed and added again is the last`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.own(("a", "b"), ("a", "c"))
    try await store.unrelate("a", .owns, "b")
    try await store.relate("a", .owns, "b")
    #expect(try await store.relatedIDs("a", .owns) == ["c", "b"])
  }

  @Test(arguments: Engine.allCases)
  func `an edge added and removed in one transaction leaves none`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.write { tx in
      try await tx.relate("a", .owns, "b")
      #expect(try await tx.relatedIDs("a", .owns) == ["b"])
      try await tx.unrelate("a", .owns, "b")
    }
    #expect(try await store.relatedIDs("a", .owns).isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `a re-created owner can own its former entities again`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "child")
    try await store.own(("a", "child"), ("b", "child"))
    try await store.erase("a")
    try await store.create("node", id: "a")
    #expect(try await store.relatedIDs("a", .owns).isEmpty)
    try await store.unrelate("a", .owns, "child")
    try await store.relate("a", .owns, "child")
    try await store.relate("a", .owns, "child")
    #expect(try await store.relatedIDs("a", .owns) == ["child"])
    #expect(try await store.erase("b") == ["b"])
    #expect(try await store.erase("a") == ["a", "child"])
  }

  @Test(arguments: Engine.allCases)
  func `dead entities are omitted from relations, and have none`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.own(("a", "b"), ("a", "c"))
    try await store.relate("b", .free, "c")
    try await store.erase("b")
    #expect(try await store.relatedIDs("a", .owns) == ["c"])
    #expect(try await store.relatedIDs("b", .free).isEmpty)
    #expect(try await store.relatedIDs("b", .ownedBy).isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `a relation's name has a greatest length`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    let name = PropertyKey(String(repeating: "n", count: 70_000))
    let error = await failure { try await store.relate("a", .free, "b", named: name) }
    #expect(error?.code == .invalidArgument)
  }
}
