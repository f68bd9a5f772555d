import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Erasing")
struct ErasureTests {
  @Test("Erasing an owner erases the entities it owns, transitively", arguments: Engine.allCases)
  func erasingOwnerErasesOwns(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c", "other")
    try await store.own(("a", "b"), ("b", "c"))
    #expect(try await store.erase("a") == ["a", "b", "c"])
    #expect(try await store.live("a", "b", "c", "other") == ["other"])
    #expect(try await store.status(of: "a") == .erased)
    #expect(try await store.status(of: "c") == .dead)
  }

  @Test("A co-owned entity survives, and dies with its last owner", arguments: Engine.allCases)
  func coownedEntitySurvivesGoes(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.own(("a", "c"), ("b", "c"))
    #expect(try await store.erase("a") == ["a"])
    #expect(try await store.relatedIDs("c", .ownedBy) == ["b"])
    #expect(try await store.relatedIDs("b", .owns) == ["c"])
    #expect(try await store.erase("b") == ["b", "c"])
  }

  @Test("Erasing an owned entity keeps its owners, co-owned or not", arguments: Engine.allCases)
  func erasingOwnedLeavesOwners(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.own(("a", "c"), ("b", "c"))
    #expect(try await store.erase("c") == ["c"])
    #expect(try await store.live("a", "b") == ["a", "b"])
    #expect(try await store.relatedIDs("a", .owns).isEmpty)
  }

  @Test("Free relations have no effect", arguments: Engine.allCases)
  func freeRelationsNoEffect(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("c", "d", "e")
    try await store.relate("c", .free, "d")
    try await store.relate("e", .free, "c")
    #expect(try await store.erase("c") == ["c"])
    #expect(try await store.live("d", "e") == ["d", "e"])
    try await store.restore("c")
    #expect(try await store.relatedIDs("e", .free) == ["c"])
  }

  @Test("An unknown owner keeps its entities alive", arguments: Engine.allCases)
  func ownerHeardYetKeeps(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "c")
    try await store.own(("a", "c"), ("unseen", "c"))
    #expect(try await store.erase("a") == ["a"])
    #expect(try await store.live("c") == ["c"])
  }

  @Test("A diamond dies once, in the order owners reach it", arguments: Engine.allCases)
  func diamondDiesOnceOrder(engine: Engine) async throws {
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

  @Test("Depth first, children in declaration order", arguments: Engine.allCases)
  func depthFirstChildrenDeclaration(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c", "d")
    try await store.own(("a", "c"), ("a", "b"), ("c", "d"))
    #expect(try await store.erase("a") == ["a", "c", "d", "b"])
  }

  @Test("Cycles and self-ownership are ordinary", arguments: Engine.allCases)
  func cyclesSelfownershipOrdinary(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "self", "x", "y")
    try await store.own(("a", "b"), ("b", "a"), ("self", "self"), ("x", "y"), ("y", "x"))
    #expect(try await store.erase("a") == ["a", "b"])
    #expect(try await store.erase("self") == ["self"])
    #expect(try await store.live("x", "y") == ["x", "y"])
    #expect(try await store.erase("y") == ["y", "x"])
  }

  @Test("A cycle held by a live owner outside stays", arguments: Engine.allCases)
  func cycleHeldLiveOwner(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("root", "a", "b", "holder")
    try await store.own(("root", "a"), ("a", "b"), ("b", "a"), ("holder", "b"))
    #expect(try await store.erase("root") == ["root"])
    #expect(try await store.live("a", "b") == ["a", "b"])
  }

  @Test("Several roots at once, in the order given, each once", arguments: Engine.allCases)
  func severalRootsOnceOrder(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c", "d", "e")
    try await store.own(("a", "c"), ("b", "c"), ("b", "d"), ("d", "e"))
    #expect(try await store.erase(["b", "e", "a", "b"]) == ["b", "c", "d", "e", "a"])
    #expect(try await store.status(of: "e") == .erased)
  }

  @Test("A root that another root owns is erased by name", arguments: Engine.allCases)
  func rootAnotherRootTakes(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "b"))
    #expect(try await store.erase(["a", "b"]) == ["a", "b"])
    #expect(try await store.restore("a") == ["a"])
    #expect(try await store.status(of: "b") == .erased)
  }

  @Test("Erasing ignores entities that are not live, unless strict", arguments: Engine.allCases)
  func erasingPassesOverLive(engine: Engine) async throws {
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

  @Test("Owning something that never arrived does not block", arguments: Engine.allCases)
  func owningSomethingNeverArrived(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "ghost"), ("a", "b"))
    #expect(try await store.erase("a") == ["a", "b"])
  }

  @Test("Entities that an unknown entity owns are reached through it", arguments: Engine.allCases)
  func entityHeardOwnsReached(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.own(("a", "ghost"), ("ghost", "c"), ("a", "b"))
    #expect(try await store.erase("a") == ["a", "c", "b"])
  }

  @Test("Erasing within a transaction is seen there", arguments: Engine.allCases)
  func erasingWithinTransactionSeen(engine: Engine) async throws {
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

  @Test("A long chain needs no deep stack", arguments: Engine.allCases)
  func longChainNeedsNo(engine: Engine) async throws {
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
