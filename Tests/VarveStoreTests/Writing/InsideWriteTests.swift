import Testing
import VarveCore
import VarveReferences
import VarveStore

@Suite("Inside a write of the same store", .timeLimit(.minutes(1)))
struct InsideWriteTests {
  @Test("calls outside the transaction are refused at once", arguments: Engine.allCases)
  func refused(engine: Engine) async throws {
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
      ]
      #expect(errors.allSatisfy { $0?.code == .nestedTransaction })
      // These are of the transaction.
      let log = try await store.log()
      #expect(log.count == 1)
      #expect(try await store.tally().commitCount >= 1)
      #expect(try await store.types().count == 1)
      #expect(try await store.find(["a"])[0]?.id == "a")
    }
  }

  @Test("a hook is pointed to the state it was given", arguments: [Engine.memory, .file])
  func hook(engine: Engine) async throws {
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
