import Testing
import VarveCore
import VarveStore

@Suite("Large graphs")
struct ScaleTests {
  private func chain(_ count: Int, in store: Store) async throws -> [EntityID] {
    let ids = (0..<count).map { EntityID(unchecked: "n\($0)") }
    try await store.create("node", keys: [], rows: ids.lazy.map { ($0, []) })
    try await store.write { tx in
      for (owner, owned) in zip(ids, ids.dropFirst()) { try await tx.relate(owner, .owns, owned) }
    }
    return ids
  }

  @Test func `ten thousand roots of one chain die at once, and are restored with their owners`()
    async throws
  {
    let store = try await makeStore(.memory)
    let ids = try await chain(10_000, in: store)
    #expect(try await store.erase(ids) == ids)
    #expect(try await store.status(of: ids[5_000]) == .erased)
    #expect(try await store.restore(ids[9_999], .withOwners) == ids)
    #expect(try await store.relatedCount(ids[0], .owns) == 1)
    let other = try await makeStore(.memory)
    try await other.merge(from: store)
    #expect(try await other.entity(ids[9_999]) != nil)
    try await store.close()
  }

  @Test func `an owner of many is erased and restored entirely; one of many erased owners is not`()
    async throws
  {
    let store = try await makeStore(.memory)
    let ids = (0..<10_000).map { EntityID(unchecked: "n\($0)") }
    try await store.createNodes("owner")
    try await store.create("node", keys: [], rows: ids.lazy.map { ($0, []) })
    try await store.write { tx in for id in ids { try await tx.relate("owner", .owns, id) } }
    #expect(try await store.erase("owner").count == ids.count + 1)
    #expect(try await store.restore("owner") == ["owner"] + ids)
    try await store.write { tx in
      for id in ids.prefix(2_000) { try await tx.relate(id, .owns, "x") }
    }
    try await store.create("node", id: "x")
    try await store.erase("owner")
    #expect(try await store.restore("x", .asRoot) == ["x"])
    #expect(try await store.relatedIDs("x", .ownedBy).isEmpty)
    try await store.close()
  }

  @Test func `a write that fails after a large erasure leaves everything as it was`() async throws {
    let store = try await makeStore(.file)
    let ids = try await chain(2_000, in: store)
    let error = await failure {
      try await store.write { tx in
        try await tx.erase(ids[0])
        try await tx.create("node", id: ids[7])
        throw VarveError(.invalidArgument, "on purpose")
      }
    }
    #expect(error?.code == .invalidArgument)
    #expect(try await store.count(Query("node")) == ids.count)
    #expect(try await store.relatedIDs(ids[0], .owns) == [ids[1]])
    #expect(try await store.check().findings == [])
    #expect(try await store.erase(ids[0]).count == ids.count)
  }

  @Test(arguments: [Engine.file]
  )
  func `tasks that erase, restore and relate at once leave a sound store`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let ids = (0..<12).map { EntityID(unchecked: "n\($0)") }
    try await store.write { tx in for id in ids { try await tx.create("node", id: id) } }
    await withTaskGroup { group in
      for task in 0..<12 {
        group.addTask {
          for round in 0..<8 {
            let (one, two) = (ids[(task + round) % 12], ids[(task * 5 + round * 7) % 12])
            _ = await failure { try await store.relate(one, .owns, two) }
            _ = await failure { try await store.erase(two) }
            _ = await failure { try await store.restore(two, .withOwners) }
            _ = try? await store.previewErasure(of: [one])
          }
        }
      }
    }
    #expect(try await store.check().findings == [])
    #expect(try await store.conflicts() == [])
    try await store.rebuild()
    #expect(try await store.check().findings == [])
  }
}
