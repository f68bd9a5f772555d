import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Relations come in the order of their first declarations, which an equal one may change.
@Suite struct RelationOrderTests {
  @Test(arguments: Engine.allCases)
  func `a change set names what an equal declaration has put in another order`(
    engine: Engine
  ) async throws {
    let (late, early) = (TestClock(), TestClock())
    let here = try await makeStore(engine, clock: late)
    let there = try await makeStore(engine, clock: early)
    for id: EntityID in ["a", "b", "c", "d"] { try await here.create("Box", id: id) }
    try await there.merge(from: here)
    early.advance(by: 10)
    late.advance(by: 1_000)
    try await here.relate("a", .owns, "b")
    try await here.relate("a", .owns, "c")
    try await here.relate("d", .owns, "b")
    let changes = try await here.changes()
    try await there.relate("a", .owns, "c")
    try await there.relate("d", .owns, "b")
    #expect(try await here.relatedIDs("a", .owns) == ["b", "c"])
    #expect(try await here.relatedIDs("b", .ownedBy) == ["a", "d"])
    try await here.merge(from: there)
    #expect(try await here.relatedIDs("a", .owns) == ["c", "b"])
    #expect(try await here.relatedIDs("b", .ownedBy) == ["d", "a"])
    let merged = try #require(changes.poll())
    #expect(Set(merged.changed).isSuperset(of: ["a", "b"]))
    #expect(merged.keysByEntity.isEmpty && merged.added.isEmpty && merged.erased.isEmpty)
    #expect(merged.types == ["Box"])
    try await there.merge(from: here)
    try await there.unrelate("a", .owns, "c")
    try await there.relate("a", .owns, "c")
    try await here.merge(from: there)
    #expect(try await here.relatedIDs("a", .owns) == ["b", "c"])
    #expect(try #require(changes.poll()).changed.contains("a"))
  }
}
