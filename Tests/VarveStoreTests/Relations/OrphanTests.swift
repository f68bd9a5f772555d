import Testing
import VarveCore
import VarveStore

@Suite("Entities that lose their last owner")
struct OrphanTests {
  private func family(
    _ engine: Engine = .memory,
    policies: [PropertyKey: OrphanPolicy] = [:]
  ) async throws -> Store {
    let store = try await makeStore(engine) { $0.orphanPolicies = policies }
    try await store.createNodes("a", "b", "c", "d")
    try await store.write { tx in
      try await tx.relate("a", .owns, "b", named: "part")
      try await tx.relate("b", .owns, "c")
    }
    return store
  }

  @Test(arguments: Engine.allCases)
  func `live on, die with what they own, or are not given up`(engine: Engine) async throws {
    let kept = try await family(engine)
    try await kept.unrelate("a", .owns, "b", named: "part")
    #expect(try await kept.live("b", "c") == ["b", "c"])

    let erased = try await family(engine)
    try await erased.unrelate("b", .ownedBy, "a", named: "part", orphans: .erase)
    #expect(try await erased.live("a", "b", "c") == ["a"])
    #expect(try await erased.status(of: "b") == .erased)

    let refused = try await family(engine)
    let before = try await refused.commitCount()
    let error = await failure {
      try await refused.unrelate("a", .owns, "b", named: "part", orphans: .refuse)
    }
    #expect(error?.code == .orphanRefused)
    #expect(try await refused.relatedIDs("a", .owns) == ["b"])
    #expect(try await refused.commitCount() == before)
  }

  @Test func `follow the policy of the relation's name, which a call overrides`() async throws {
    let store = try await family(policies: ["part": .erase])
    try await store.relate("b", .owns, "d")
    try await store.unrelate("b", .owns, "d")
    #expect(try await store.live("d") == ["d"])
    try await store.unrelate("a", .owns, "b", named: "part", orphans: .keep)
    #expect(try await store.live("b") == ["b"])
    try await store.relate("a", .owns, "b", named: "part")
    try await store.unrelate("a", .owns, "b", named: "part")
    #expect(try await store.live("a", "b", "c") == ["a"])
  }

  @Test func `do not exist if another owner lives, or may; they do not own themselves`()
    async throws
  {
    let store = try await family(policies: ["part": .erase])
    try await store.relate("d", .owns, "b")
    try await store.unrelate("a", .owns, "b", named: "part")
    #expect(try await store.live("b") == ["b"])
    try await store.relate("a", .owns, "b", named: "part")
    try await store.unrelate("d", .owns, "b")
    try await store.relate("stranger", .owns, "b")
    try await store.unrelate("a", .owns, "b", named: "part")
    #expect(try await store.live("b") == ["b"])
    try await store.relate("a", .owns, "b", named: "part")
    try await store.unrelate("stranger", .owns, "b")
    try await store.relate("b", .owns, "b")
    try await store.unrelate("a", .owns, "b", named: "part")
    #expect(try await store.live("b", "c").isEmpty)
  }

  @Test func `are kept, and so is the relation, if a hook refuses`() async throws {
    let store = try await family()
    store.willErase { _, _ in throw VarveError(.hookRefused, "no") }
    let error = await failure {
      try await store.unrelate("a", .owns, "b", named: "part", orphans: .erase)
    }
    #expect(error?.code == .hookRefused)
    #expect(try await store.relatedIDs("a", .owns) == ["b"])
    #expect(try await store.live("a", "b", "c").count == 3)
  }
}
