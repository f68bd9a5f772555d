import Testing
import VarveCore
import VarveReferences
import VarveStore

@Suite("Inside a write of the same store", .timeLimit(.minutes(1)))
struct InsideWriteTests {
  @Test(arguments: Engine.allCases)
  func `calls outside the transaction are refused at once`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let other = try await makeStore(engine)
    try await store.create("T", id: "a")
    try await store.write { _ in
      let errors = [
        await failure { try await other.merge(from: store) },
        await failure { _ = try await store.frontier() },
        await failure { _ = try await store.replica() },
        await failure { _ = try await store.conflicts() },
        await failure { _ = try await store.diff(from: .frontier(.empty)) },
        await failure { _ = try await store.storageSizes() },
        await failure { _ = try await store.asOf(.test(1)).entity("a") },
        await failure { try await store.asOf(.test(1)).read { _ in } },
        await failure { _ = try await store.log() },
        await failure { _ = try await store.tally() },
        await failure { _ = try await store.types() },
        await failure { _ = try await store.find(["a"]) },
        await failure { _ = try await store.entity("a") },
        await failure { _ = try await store.fetch(Query("T")) },
        await failure { for try await _ in store.stream(Query("T"), pageSize: 1) {} },
        await failure { try await store.read { _ in } },
        await failure { try await store.set("a", "x", 1) },
        await failure { try await store.as("sam").set("a", "x", 1) },
        await failure { _ = try await store.as("sam").fetch(Query("T")) },
        await failure { try await store.write { _ in } },
      ]
      #expect(errors.map { $0?.code } == Array(repeating: .nestedTransaction, count: errors.count))
    }
  }

  @Test(arguments: [Engine.memory, .file]
  )
  func `calls of a child task are refused, and a detached task reads the last committed state`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("T", id: "a", ["x": 1])
    try await store.write { tx in
      try await tx.set("a", "x", 2)
      async let refusal = failure { _ = try await store.entity("a") }
      #expect(await refusal?.code == .nestedTransaction)
      let outside = try await Task.detached { try await store.entity("a") }.value
      #expect(outside?["x"] == 1)
      #expect(try await tx.entity("a")?["x"] == 2)
    }
    #expect(try await store.entity("a")?["x"] == 2)
  }

  @Test(arguments: [Engine.memory, .file])
  func `a hook is pointed to the state it was given`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("T", id: "a")
    let bodies: [@Sendable () async throws -> Void] = [
      { _ = try await store.entity("a") }, { _ = try await store.asOf(.test(1)).entity("a") },
      { try await store.set("a", "x", 1) },
    ]
    for body in bodies {
      let registration = store.willErase { _, _ in try await body() }
      let error = await failure { try await store.erase("a") }
      #expect(error?.code == .nestedTransaction)
      #expect(error?.remedy?.contains("hook") == true && error?.remedy?.contains("state") == true)
      registration.cancel()
    }
  }
}
