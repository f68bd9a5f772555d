import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Concurrent values")
struct ConflictTests {
  @Test func `are listed on both sides, the present value first, until a commit has seen both`()
    async throws
  {
    let clock = TestClock()
    let (one, two) = try await pair(clock)
    try await set("red", in: one)
    clock.advance(by: 5)
    try await set("blue", in: two)
    try await two.catchUp(with: one)
    try await one.catchUp(with: two)
    for store in [one, two] {
      let conflicts = try await store.conflicts()
      #expect(conflicts.map(\.entity) == ["hat"])
      #expect(conflicts.map(\.key) == ["color"])
      #expect(conflicts.first?.versions.map(\.value) == ["blue", "red"])
    }
    try await set("violet", in: one)
    #expect(try await one.conflicts() == [])
    try await two.catchUp(with: one)
    #expect(try await two.conflicts() == [])
  }

  @Test func `do not exist if both values are equal, or if one commit had seen the other`()
    async throws
  {
    let clock = TestClock()
    let (one, two) = try await pair(clock)
    try await set("red", in: one)
    try await set("red", in: two)
    try await two.catchUp(with: one)
    #expect(try await two.conflicts() == [])
    try await set("blue", in: two)
    try await one.catchUp(with: two)
    #expect(try await one.conflicts() == [])
  }

  /// Two stores that have the same hat.
  private func pair(_ clock: TestClock) async throws -> (any Backend, any Backend) {
    let ids = Fleet.replicas(count: 2, seed: 1)
    let (one, two) = (
      try await memoryBackend(ids[0], clock), try await memoryBackend(ids[1], clock)
    )
    _ = try await one.write(WriteRequest()) { writer in
      _ = try await writer.apply(.life(.created("Hat", datestamp: nil)), to: "hat", time: nil)
    }
    try await two.catchUp(with: one)
    return (one, two)
  }

  private func set(_ color: String, in backend: any Backend) async throws {
    _ = try await backend.write(WriteRequest()) { writer in
      let content = Cell.Content.value("color", .string(color), semanticType: "string")
      _ = try await writer.apply(content, to: "hat", time: nil)
    }
  }
}
