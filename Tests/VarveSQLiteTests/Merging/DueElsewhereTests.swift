import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

/// Two stores of one file stand for two processes: they share nothing but the file.
@Suite("Withheld commits that another process merged (R11)")
struct DueElsewhereTests {
  private let clock = TestClock()
  private let scratch: Scratch
  private let minute: Int64 = 60_000

  init() throws { scratch = try Scratch() }

  private func open() async throws -> SQLiteBackend {
    try await openBackend(scratch.path("store"), clock: clock)
  }

  /// Stores a commit that is due in five minutes, by another process, which then ends.
  private func withhold() async throws {
    var ahead = ScriptedReplica(1)
    let other = try await open()
    let thing: EntityID = "thing"
    let commit = ahead.commit(at: clock.now + 10 * minute, [thing.isCreated(), thing.has("x", 1)])
    #expect(try await other.append([commit]).withheldCount == 1)
    try await other.close()
  }

  @Test func `take effect in the next read when they are due`() async throws {
    let store = try await open()
    #expect(try await store.read(at: .now) { try await $0.entity("thing") } == nil)
    try await withhold()
    #expect(try await store.read(at: .now) { try await $0.entity("thing") } == nil)
    clock.advance(by: 6 * minute)
    #expect(try await store.read(at: .now) { try await $0.entity("thing") } != nil)
    #expect(try await store.withheldCommits().isEmpty)
    try await store.close()
  }

  @Test func `take effect in the next read if they were due before anything was read again`()
    async throws
  {
    let store = try await open()
    try await withhold()
    clock.advance(by: 6 * minute)
    #expect(try await store.read(at: .now) { try await $0.entity("thing") } != nil)
    try await store.close()
  }

  @Test func `take effect in look-ups of one entity, whose statements are kept`() async throws {
    let store = try await open()
    try await store.write([.create(Creation("other", "Thing", [Assignment("x", 2)]))])
    let shape = RowShape([RowShape.Column("x")])
    for _ in 0..<3 { #expect(try await store.row("other", of: ["Thing"], shape) { _ in 1 } == 1) }
    try await withhold()
    for _ in 0..<3 {
      #expect(try await store.row("thing", of: ["Thing"], shape) { _ in 1 } == nil)
    }
    clock.advance(by: 6 * minute)
    #expect(try await store.row("thing", of: ["Thing"], shape) { _ in 1 } == 1)
    try await store.close()
  }

  @Test func `stay withheld while another process writes, which does not delay a read`()
    async throws
  {
    let store = try await open()
    try await withhold()
    let other = try await open()
    clock.advance(by: 6 * minute)
    _ = try await other.write(WriteRequest()) { _ in
      let start = ContinuousClock.now
      _ = try await store.read(at: .now) { try await $0.entity("thing") }
      #expect(ContinuousClock.now - start < .seconds(1))
    }
    try await Task.sleep(for: .milliseconds(120))
    #expect(try await store.read(at: .now) { try await $0.entity("thing") } != nil)
    try await store.close()
    try await other.close()
  }

  @Test func `reach subscribers when they are due, without a read or a write`() async throws {
    var configuration = Store.Configuration()
    configuration.wallMilliseconds = clock.reading()
    let store = try await Store.open(scratch.path("store"), configuration: configuration)
    let changes = try await store.changes()
    // Due in less than a second, because the clock that stands still cannot wake anybody.
    var ahead = ScriptedReplica(1)
    let other = try await open()
    let thing: EntityID = "thing"
    _ = try await other.append([ahead.commit(at: clock.now + 5 * minute + 300, [thing.isCreated()])]
    )
    try await other.close()
    // The poll sees the commit, and the store waits for its time.
    try await Task.sleep(for: .milliseconds(150))
    clock.advance(by: 400)
    var iterator = changes.makeAsyncIterator()
    #expect(try await iterator.next()?.added == ["thing"])
    try await store.close()
  }
}
