import Testing
import VarveCore
import VarveStore

@Suite("Recording commits")
struct RecordingTests {
  @Test(arguments: Engine.allCases)
  func `returns the commit that each verb of models made`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    func latest() async throws -> [CommitSummary] { try await store.log(limit: 1) }
    let (hat, saved) = try await store.recording {
      try await store.as("ana").save(Hat("red", 7))
    }
    #expect(try await latest() == saved)
    #expect(saved.first?.author == "ana")
    let updated = try await store.recording {
      try await store.update(hat.id) { $0.set(\.color, "blue") }
    }
    #expect(try await latest() == updated.commits)
    #expect(updated.result)
    let all = try await store.recording {
      try await store.update(Hat.all) { $0.set(\.brimSize, 8) }
    }
    #expect(try await latest() == all.commits)
    #expect(all.result == 1)
    let erased = try await store.recording { try await store.erase(hat) }
    #expect(try await latest() == erased.commits)
    #expect(erased.result == [hat.id.entityID])
    let restored = try await store.recording { try await store.restore(hat.id) }
    #expect(try await latest() == restored.commits)
    #expect(restored.result == [hat.id.entityID])
    let undone = try await store.recording { try await store.undo(all.commits[0].id) }
    #expect(try await latest() == undone.commits)
    #expect(undone.commits.first == undone.result.commit)
    let both = try await store.recording {
      try await store.create("Hat", id: "x")
      try await store.purge(["x"])
    }
    #expect(try await store.log(limit: 2).reversed() == both.commits)
  }

  @Test(arguments: Engine.allCases)
  func `has none if nothing was written, and nests`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let hat = try await store.save(Hat("red", 7))
    let nothing = try await store.recording { try await store.save(hat) }
    #expect(nothing.commits.isEmpty)
    let outer = try await store.recording {
      try await store.set(hat.id.entityID, "color", "blue")
      return try await store.recording { try await store.set(hat.id.entityID, "color", "green") }
    }
    #expect(outer.commits.count == 2 && outer.result.commits == [outer.commits[1]])
    let tasks = try await store.recording {
      async let one: Void = store.set(hat.id.entityID, "color", "grey")
      async let two: Void = store.set(hat.id.entityID, "size", 7)
      _ = try await (one, two)
    }
    #expect(tasks.commits.count == 2)
  }
}
