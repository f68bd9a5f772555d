import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Bringing commits to the disk")
struct SynchronizingTests {
  @Test(
    arguments: Engine.allCases
  )
  func `works before, between and after writes, and throws once closed`(engine: Engine) async throws
  {
    let store = try await makeStore(engine)
    try await store.flush()
    try await store.createNodes("a")
    try await store.flush()
    try await store.write { tx in
      try await tx.create("Node", id: "b")
      try await store.flush()
    }
    try await store.close()
    await #expect(throws: VarveError.self) { try await store.flush() }
  }
}
