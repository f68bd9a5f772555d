import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Wrong clocks, and the commits that arrived meanwhile (R11)")
struct WithheldOrderTests {
  private let clock = TestClock()
  private let minute: Int64 = 60_000

  @Test
  func `a commit names nothing stamped later than itself, though it was applied here before`()
    async throws
  {
    let store = try await openBackend(clock: clock)
    var (early, late) = (ScriptedReplica(1), ScriptedReplica(2))
    let now = clock.now
    let thing: EntityID = "thing"
    clock.advance(by: 5 * minute)
    _ = try await store.append([
      early.commit(at: now + 4 * minute, [thing.isCreated()]),
      late.commit(at: now + 8 * minute, [thing.has("x", 1)]),
    ])
    // The clock was five minutes ahead, and is put right.
    clock.advance(by: -5 * minute)
    try await store.set("thing", "y", 2)
    clock.advance(by: 20 * minute)
    let other = try await openBackend(clock: clock)
    let report = try await other.catchUp(with: store)
    #expect(report.addedCount == 3)
    #expect(try await store.findings() == [])
    try await store.close()
    try await other.close()
  }

  @Test func `an erasure by a corrected clock lists what the wrong one had seen`() async throws {
    let store = try await openBackend(clock: clock)
    var late = ScriptedReplica(1)
    let thing: EntityID = "thing"
    let now = clock.now
    clock.advance(by: 30 * minute)
    _ = try await store.append([late.commit(at: now + 20 * minute, [thing.isCreated()])])
    clock.advance(by: -30 * minute)
    try await store.write([.erase("thing")])
    clock.advance(by: 60 * minute)
    let reference = ReferenceBackend(wallMilliseconds: clock.reading())
    try await reference.catchUp(with: store)
    #expect(try await reference.conflicts().map(\.entity) == ["thing"])
    #expect(try await store.conflicts() == reference.conflicts())
    #expect(try await store.findings() == [])
    try await store.close()
  }

  @Test func `a withheld creation and a later one are history in the order of the log`()
    async throws
  {
    let store = try await openBackend(clock: clock)
    var (ahead, right) = (ScriptedReplica(1), ScriptedReplica(2))
    let thing: EntityID = "thing"
    let first = ahead.commit(at: clock.now + 10 * minute, [thing.isCreated()])
    #expect(try await store.append([first]).withheldCount == 1)
    _ = try await store.append([right.commit(at: clock.now, [thing.isCreated("Other")])])
    clock.advance(by: 20 * minute)
    _ = try await store.append([])
    #expect(try await store.findings() == [])
    try await store.expectFold(["thing"], clock: clock)
    try await store.close()
  }
}
