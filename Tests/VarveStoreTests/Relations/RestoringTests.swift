import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Restoring")
struct RestoringTests {
  @Test(
    "A restored entity is as before, with everything that died with it",
    arguments: Engine.allCases
  )
  func restoredComesBackWas(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a", ["color": "red"])
    try await store.createNodes("b", "c")
    try await store.own(("a", "b"), ("b", "c"))
    try await store.erase("a")
    #expect(try await store.restore("a") == ["a", "b", "c"])
    #expect(try await store.require("a")["color"] == "red")
    #expect(try await store.relatedIDs("a", .owns) == ["b"])
  }

  @Test(
    "Restoring a live entity does nothing, an unknown one is an error",
    arguments: Engine.allCases
  )
  func restoringLiveEntityNothing(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a")
    #expect(try await store.restore("a").isEmpty)
    #expect(try await store.commitCount() == 1)
    for mode in RestoreMode.allCases {
      #expect(await failure { try await store.restore("x", mode) }?.code == .notFound)
    }
  }

  @Test("An entity that died with its owner is not restored by itself", arguments: Engine.allCases)
  func diedOwnerRestoredItself(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "b"))
    try await store.erase("a")
    let error = await failure { try await store.restore("b") }
    #expect(error?.code == .ownersDead)
    #expect(error?.message.contains("\"a\"") == true)
    #expect(error?.remedy?.contains("withOwners") == true)
    #expect(try await store.status(of: "b") == .dead)
  }

  @Test(
    "An entity erased by name under an erased owner is not restored by itself",
    arguments: Engine.allCases
  )
  func wasErasedNameUnder(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "b"))
    try await store.erase("b")
    try await store.erase("a")
    #expect(await failure { try await store.restore("b") }?.code == .ownersDead)
    #expect(try await store.restore("b", .withOwners) == ["a", "b"])
  }

  @Test("With owners, as far up as it takes", arguments: Engine.allCases)
  func ownersFarUpTakes(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("top", "a", "b", "side")
    try await store.own(("top", "a"), ("a", "b"), ("top", "side"))
    try await store.erase("top")
    #expect(try await store.restore("b", .withOwners) == ["top", "a", "b", "side"])
    #expect(try await store.live("top", "a", "b", "side").count == 4)
  }

  @Test("With owners, one that lives is enough", arguments: Engine.allCases)
  func ownersLivesEnough(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.own(("a", "c"), ("b", "c"))
    try await store.erase("a")
    try await store.erase("b")
    #expect(try await store.restore("c", .withOwners) == ["a", "c"])
    #expect(try await store.status(of: "b") == .erased)
  }

  @Test("With owners in a cycle under an erased one", arguments: Engine.allCases)
  func ownersCycleUnderErased(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("top", "a", "b")
    try await store.own(("top", "a"), ("a", "b"), ("b", "a"))
    try await store.erase(["top", "b"])
    #expect(try await store.restore("b", .withOwners) == ["top", "a", "b"])
  }

  @Test("A cycle is restored with the root that was erased", arguments: Engine.allCases)
  func cycleComesBackWas(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "b"), ("b", "a"))
    try await store.erase("a")
    #expect(await failure { try await store.restore("b") }?.code == .ownersDead)
    #expect(try await store.restore("a") == ["a", "b"])
  }

  @Test("As root, dead owners are left", arguments: Engine.allCases)
  func rootDeadOwnersLeft(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.own(("a", "b"), ("b", "c"))
    try await store.erase("a")
    #expect(try await store.restore("b", .asRoot) == ["b", "c"])
    #expect(try await store.relatedIDs("b", .ownedBy).isEmpty)
    #expect(try await store.restore("a") == ["a"])
    #expect(try await store.relatedIDs("a", .owns).isEmpty)
    #expect(try await store.erase("a") == ["a"])
  }

  @Test("As root, what an entity erased by name owns itself", arguments: Engine.allCases)
  func rootEntityErasedName(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "b"), ("b", "b"))
    try await store.erase(["a", "b"])
    #expect(try await store.restore("b", .asRoot) == ["b"])
    #expect(try await store.relatedIDs("b", .ownedBy) == ["b"])
  }

  @Test("An erased child of a live owner is restored by itself", arguments: Engine.allCases)
  func erasedChildLiveOwner(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "gone")
    try await store.own(("a", "b"), ("gone", "b"))
    try await store.erase(["b", "gone"])
    #expect(try await store.restore("b") == ["b"])
    #expect(try await store.relatedIDs("a", .owns) == ["b"])
  }

  @Test(
    "An unknown owner lets an entity be restored under an erased one",
    arguments: Engine.allCases
  )
  func ownerNotHeardOf(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("gone", "child")
    try await store.own(("gone", "child"), ("ghost", "child"))
    try await store.erase(["gone", "child"])
    #expect(try await store.restore("child") == ["child"])
    #expect(try await store.relatedIDs("child", .ownedBy) == ["ghost"])
  }

  @Test("If the owner was re-created, only as root", arguments: Engine.allCases)
  func whereOwnerWasCreated(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "b"))
    try await store.erase("a")
    try await store.create("node", id: "a")
    for mode in [RestoreMode.ifOwned, .withOwners] {
      #expect(await failure { try await store.restore("b", mode) }?.code == .ownersDead)
    }
    #expect(try await store.restore("b", .asRoot) == ["b"])
    #expect(try await store.relatedIDs("a", .owns).isEmpty)
  }

  @Test("Restoring follows an erasure dated later", arguments: Engine.allCases)
  func restoringComesAfterErasure(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a")
    try await store.erase("a", at: .test(100))
    #expect(try await store.restore("a", at: .test(50)) == ["a"])
    #expect(try await store.live("a") == ["a"])
    try await store.erase("a")
    #expect(try await store.live("a").isEmpty)
  }
}
