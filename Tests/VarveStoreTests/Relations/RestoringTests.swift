import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Restoring")
struct RestoringTests {
  @Test(
    arguments: Engine.allCases
  )
  func `a restored entity is as before, with everything that died with it`(engine: Engine)
    async throws
  {
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
    arguments: Engine.allCases
  )
  func `restoring a live entity does nothing, an unknown one is an error`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("a")
    #expect(try await store.restore("a").isEmpty)
    #expect(try await store.commitCount() == 1)
    for mode in RestoreMode.allCases {
      #expect(await failure { try await store.restore("x", mode) }?.code == .notFound)
    }
  }

  @Test(arguments: Engine.allCases)
  func `an entity that died with its owner is not restored by itself`(engine: Engine) async throws {
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
    arguments: Engine.allCases
  )
  func `an entity erased by name under an erased owner is not restored by itself`(engine: Engine)
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

  @Test(arguments: Engine.allCases)
  func `with owners, as far up as it takes`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("top", "a", "b", "side")
    try await store.own(("top", "a"), ("a", "b"), ("top", "side"))
    try await store.erase("top")
    #expect(try await store.restore("b", .withOwners) == ["top", "a", "b", "side"])
    #expect(try await store.live("top", "a", "b", "side").count == 4)
  }

  @Test(arguments: Engine.allCases)
  func `with owners, one that lives is enough`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.own(("a", "c"), ("b", "c"))
    try await store.erase("a")
    try await store.erase("b")
    #expect(try await store.restore("c", .withOwners) == ["a", "c"])
    #expect(try await store.status(of: "b") == .erased)
  }

  @Test(arguments: Engine.allCases)
  func `with owners in a cycle under an erased one`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("top", "a", "b")
    try await store.own(("top", "a"), ("a", "b"), ("b", "a"))
    try await store.erase(["top", "b"])
    #expect(try await store.restore("b", .withOwners) == ["top", "a", "b"])
  }

  @Test(arguments: Engine.allCases)
  func `a cycle is restored with the root that was erased`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "b"), ("b", "a"))
    try await store.erase("a")
    #expect(await failure { try await store.restore("b") }?.code == .ownersDead)
    #expect(try await store.restore("a") == ["a", "b"])
  }

  @Test(arguments: Engine.allCases)
  func `as root, dead owners are left`(engine: Engine) async throws {
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

  @Test(arguments: Engine.allCases)
  func `as root, what an entity erased by name owns itself`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "b"), ("b", "b"))
    try await store.erase(["a", "b"])
    #expect(try await store.restore("b", .asRoot) == ["b"])
    #expect(try await store.relatedIDs("b", .ownedBy) == ["b"])
  }

  @Test(arguments: Engine.allCases)
  func `an erased child of a live owner is restored by itself`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "gone")
    try await store.own(("a", "b"), ("gone", "b"))
    try await store.erase(["b", "gone"])
    #expect(try await store.restore("b") == ["b"])
    #expect(try await store.relatedIDs("a", .owns) == ["b"])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `an unknown owner lets an entity be restored under an erased one`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("gone", "child")
    try await store.own(("gone", "child"), ("ghost", "child"))
    try await store.erase(["gone", "child"])
    #expect(try await store.restore("child") == ["child"])
    #expect(try await store.relatedIDs("child", .ownedBy) == ["ghost"])
  }

  @Test(arguments: Engine.allCases)
  func `if the owner was re-created, only as root`(engine: Engine) async throws {
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

  @Test(arguments: Engine.allCases)
  func `restoring follows an erasure dated later`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a")
    try await store.erase("a", at: .test(100))
    #expect(try await store.restore("a", at: .test(50)) == ["a"])
    #expect(try await store.live("a") == ["a"])
    try await store.erase("a")
    #expect(try await store.live("a").isEmpty)
  }
}
