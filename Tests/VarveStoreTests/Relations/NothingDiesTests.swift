import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// R16: a local commit that erases nothing kills nothing.
@Suite("Commits that erase nothing kill nothing")
struct NothingDiesTests {
  @Test(arguments: Engine.allCases)
  func `renouncing the last live owner frees from the dead ones`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("dead", "owner", "child", "grandchild")
    try await store.own(("dead", "child"), ("owner", "child"), ("child", "grandchild"))
    try await store.erase("dead")
    try await store.unrelate("owner", .owns, "child")
    #expect(try await store.live("child", "grandchild") == ["child", "grandchild"])
    #expect(try await store.relatedIDs("child", .ownedBy).isEmpty)
    try await store.restore("dead")
    #expect(try await store.relatedIDs("dead", .owns).isEmpty)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `renouncing frees from the former life of an owner that is owned itself now`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("former", "owner", "child")
    try await store.own(("former", "child"), ("owner", "child"))
    try await store.erase("former")
    try await store.createNodes("former")
    try await store.own(("child", "former"))
    try await store.unrelate("owner", .owns, "child")
    #expect(try await store.live("child", "former") == ["child", "former"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `closing a cycle under an erased owner kills neither`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("erased", "a", "b")
    try await store.own(("erased", "a"), ("b", "a"))
    try await store.erase("erased")
    try await store.relate("a", .owns, "b")
    #expect(try await store.live("a", "b") == ["a", "b"])
    #expect(try await store.relatedIDs("a", .owns) == ["b"])
    #expect(try await store.relatedIDs("b", .owns) == ["a"])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `renouncing the last owner outside a cycle frees from a former life of a member`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("owner", "a", "b")
    try await store.own(("owner", "b"), ("a", "b"))
    try await store.erase("a")
    try await store.createNodes("a")
    try await store.own(("b", "a"), ("a", "b"))
    try await store.unrelate("owner", .owns, "b")
    #expect(try await store.live("a", "b") == ["a", "b"])
    #expect(try await store.relatedIDs("a", .owns) == ["b"])
  }

  @Test(arguments: Engine.allCases)
  func `closing a cycle through an unknown entity erases none`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("erased", "b")
    try await store.own(("erased", "ghost"), ("b", "ghost"))
    try await store.erase("erased")
    try await store.relate("ghost", .owns, "b")
    #expect(try await store.live("b") == ["b"])
    #expect(try await store.relatedIDs("b", .ownedBy) == ["ghost"])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `renouncing frees from an unknown owner below an erased one`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("erased", "owner", "child")
    try await store.own(("erased", "ghost"), ("ghost", "child"), ("owner", "child"))
    try await store.erase("erased")
    try await store.unrelate("owner", .owns, "child")
    #expect(try await store.live("child") == ["child"])
  }

  @Test(arguments: Engine.allCases)
  func `renouncing frees from the former life of a live owner`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("reborn", "owner", "child")
    try await store.own(("reborn", "child"), ("owner", "child"))
    try await store.erase("reborn")
    try await store.create("node", id: "reborn")
    try await store.unrelate("child", .ownedBy, "owner")
    #expect(try await store.live("child") == ["child"])
  }

  @Test(arguments: Engine.allCases, 0..<12)
  func `random graphs`(engine: Engine, seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let store = try await makeStore(engine)
    let ids = (0..<7).map { EntityID(stringLiteral: "n\($0)") }
    for _ in 0..<60 {
      let (one, other) = (
        ids[Int.random(in: 0..<7, using: &random)], ids[Int.random(in: 0..<7, using: &random)]
      )
      let choice = Int.random(in: 0..<10, using: &random)
      let before = try await store.entities(ids).compactMap { $0?.id }
      var died: [EntityID] = []
      var revived: [EntityID] = []
      do {
        switch choice {
        case 0...3: try await store.relate(one, .owns, other)
        case 4, 5: try await store.unrelate(one, .owns, other)
        case 6: try await store.create("node", id: one)
        case 7: revived = try await store.restore(one, RestoreMode.allCases[Int(seed % 3)])
        default: died = try await store.erase([one, other])
        }
      } catch let error as VarveError {
        #expect([.notFound, .duplicateIdentifier, .ownersDead].contains(error.code))
      }
      let after = try await store.entities(ids).compactMap { $0?.id }
      #expect(Set(before).subtracting(after) == Set(died), "seed \(seed)")
      if choice == 7 { #expect(Set(after).subtracting(before) == Set(revived), "seed \(seed)") }
    }
  }
}
