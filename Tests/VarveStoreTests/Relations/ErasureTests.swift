import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Erasing")
struct ErasureTests {
  @Test(arguments: Engine.allCases)
  func `erasing an owner erases the entities it owns, transitively`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c", "other")
    try await store.own(("a", "b"), ("b", "c"))
    #expect(try await store.erase("a") == ["a", "b", "c"])
    #expect(try await store.live("a", "b", "c", "other") == ["other"])
    #expect(try await store.status(of: "a") == .erased)
    #expect(try await store.status(of: "c") == .dead)
  }

  @Test(arguments: Engine.allCases)
  func `a co-owned entity survives, and dies with its last owner`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.own(("a", "c"), ("b", "c"))
    #expect(try await store.erase("a") == ["a"])
    #expect(try await store.relatedIDs("c", .ownedBy) == ["b"])
    #expect(try await store.relatedIDs("b", .owns) == ["c"])
    #expect(try await store.erase("b") == ["b", "c"])
  }

  @Test(arguments: Engine.allCases)
  func `erasing an owned entity keeps its owners, co-owned or not`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.own(("a", "c"), ("b", "c"))
    #expect(try await store.erase("c") == ["c"])
    #expect(try await store.live("a", "b") == ["a", "b"])
    #expect(try await store.relatedIDs("a", .owns).isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `free relations have no effect`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("c", "d", "e")
    try await store.relate("c", .free, "d")
    try await store.relate("e", .free, "c")
    #expect(try await store.erase("c") == ["c"])
    #expect(try await store.live("d", "e") == ["d", "e"])
    try await store.restore("c")
    #expect(try await store.relatedIDs("e", .free) == ["c"])
  }

  @Test(arguments: Engine.allCases)
  func `an unknown owner keeps its entities alive`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "c")
    try await store.own(("a", "c"), ("unseen", "c"))
    #expect(try await store.erase("a") == ["a"])
    #expect(try await store.live("c") == ["c"])
  }

  @Test(arguments: Engine.allCases)
  func `a diamond dies once, in the order owners reach it`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("top", "left", "right", "bottom")
    try await store.own(
      ("top", "left"),
      ("top", "right"),
      ("left", "bottom"),
      ("right", "bottom")
    )
    #expect(try await store.erase("top") == ["top", "left", "bottom", "right"])
  }

  @Test(arguments: Engine.allCases)
  func `depth first, children in declaration order`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c", "d")
    try await store.own(("a", "c"), ("a", "b"), ("c", "d"))
    #expect(try await store.erase("a") == ["a", "c", "d", "b"])
  }

  @Test(arguments: Engine.allCases)
  func `cycles and self-ownership are ordinary`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "self", "x", "y")
    try await store.own(("a", "b"), ("b", "a"), ("self", "self"), ("x", "y"), ("y", "x"))
    #expect(try await store.erase("a") == ["a", "b"])
    #expect(try await store.erase("self") == ["self"])
    #expect(try await store.live("x", "y") == ["x", "y"])
    #expect(try await store.erase("y") == ["y", "x"])
  }

  @Test(arguments: Engine.allCases)
  func `a cycle held by a live owner outside stays`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("root", "a", "b", "holder")
    try await store.own(("root", "a"), ("a", "b"), ("b", "a"), ("holder", "b"))
    #expect(try await store.erase("root") == ["root"])
    #expect(try await store.live("a", "b") == ["a", "b"])
  }

  @Test(arguments: Engine.allCases)
  func `several roots at once, in the order given, each once`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c", "d", "e")
    try await store.own(("a", "c"), ("b", "c"), ("b", "d"), ("d", "e"))
    #expect(try await store.erase(["b", "e", "a", "b"]) == ["b", "c", "d", "e", "a"])
    #expect(try await store.status(of: "e") == .erased)
  }

  @Test(arguments: Engine.allCases)
  func `a root that another root owns is erased by name`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "b"))
    #expect(try await store.erase(["a", "b"]) == ["a", "b"])
    #expect(try await store.restore("a") == ["a"])
    #expect(try await store.status(of: "b") == .erased)
  }

  @Test(arguments: Engine.allCases)
  func `erasing ignores entities that are not live, unless strict`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.own(("a", "b"))
    try await store.erase("a")
    let count = try await store.commitCount()
    #expect(try await store.erase(["a", "b", "never"]).isEmpty)
    #expect(try await store.commitCount() == count)
    for missing in ["a", "b", "never"] as [EntityID] {
      let error = await failure { try await store.erase(["c", missing], strict: true) }
      #expect(error?.code == .notFound)
      #expect(error?.place == "entity \(missing)")
    }
    #expect(try await store.live("c") == ["c"])
    #expect(try await store.erase(["c", "never"]) == ["c"])
  }

  @Test(arguments: Engine.allCases)
  func `owning something that never arrived does not block`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "ghost"), ("a", "b"))
    #expect(try await store.erase("a") == ["a", "b"])
  }

  @Test(arguments: Engine.allCases)
  func `entities that an unknown entity owns are reached through it`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.own(("a", "ghost"), ("ghost", "c"), ("a", "b"))
    #expect(try await store.erase("a") == ["a", "c", "b"])
  }

  @Test(arguments: Engine.allCases)
  func `erasing within a transaction is seen there`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "b"))
    try await store.write { tx async throws in
      #expect(try await tx.erase("a") == ["a", "b"])
      #expect(try await tx.entity("b") == nil)
      #expect(try await tx.count(Query("node")) == 0)
      #expect(try await tx.erase("a").isEmpty)
    }
    #expect(try await store.commitCount() == 3)
  }

  @Test(arguments: Engine.allCases)
  func `a long chain needs no deep stack`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let ids = (0..<400).map { EntityID(stringLiteral: "n\($0)") }
    try await store.create("node", keys: [], rows: ids.map { ($0, []) })
    try await store.write { tx in
      for (owner, owned) in zip(ids, ids.dropFirst()) {
        try await tx.relate(owner, .owns, owned)
      }
    }
    #expect(try await store.erase(ids[0]) == ids)
    #expect(try await store.restore(ids[0]) == ids)
  }
}
