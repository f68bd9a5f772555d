import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite struct DiffTests {
  @Test(arguments: Engine.allCases)
  func `a difference lists additions, changes and ends`(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.create("Hat", id: "a", ["color": "red", "size": 1])
    try await store.createNodes("shop", "hat")
    try await store.own(("shop", "hat"))
    let before = try await store.frontier()
    let date = try HybridTime(.test(1)).endOfMillisecond
    clock.advance(by: 2_000)
    try await store.set("a", ["color": "blue", "size": nil])
    try await store.create("Hat", id: "b", ["color": "green"])
    try await store.relate("a", .free, "b")
    try await store.erase("shop")
    for moment in [Moment.frontier(before), .time(date)] {
      let difference = try await store.diff(from: moment)
      #expect(difference.added.map(\.id) == ["b"])
      #expect(difference.changed.map(\.id) == ["a"])
      #expect(Set(difference.ended.map(\.id)) == ["shop", "hat"])
      let change = try #require(difference.changed.first)
      #expect(change.properties.map(\.key) == ["color", "size"])
      #expect(change.properties.map { $0.old?.value } == ["red", 1])
      #expect(change.properties.map { $0.new?.value } == ["blue", nil])
      #expect(change.related.map(\.target) == ["b"])
      let reverse = try await store.diff(from: .now, to: moment)
      #expect(Set(reverse.added.map(\.id)) == ["shop", "hat"])
      #expect(reverse.ended.map(\.id) == ["b"])
    }
  }

  @Test(arguments: Engine.allCases)
  func `a difference lists entire to-many properties, their order too`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("t", "a", "b", "c")
    try await store.setCollection("t", "x", to: ["a", "b", "a"])
    try await store.setCollection("t", "same", to: ["c"])
    let before = try await store.frontier()
    try await store.setCollection("t", "x", to: ["b", "a", "a"])
    try await store.setCollection("t", "empty", to: [])
    let change = try #require(try await store.diff(from: .frontier(before)).changed.first)
    #expect(change.collections.map(\.key) == ["empty", "x"])
    #expect(change.collections.map(\.old) == [nil, ["a", "b", "a"]])
    #expect(change.collections.map(\.new) == [[], ["b", "a", "a"]])
    #expect(change.related.isEmpty && change.properties.isEmpty)
    let moved = try await store.frontier()
    try await store.set("t", "x", 1)
    let ended = try #require(try await store.diff(from: .frontier(moved)).changed.first)
    #expect(ended.collections.map(\.new) == [nil])
    #expect(ended.properties.map { $0.new?.value } == [1])
  }

  @Test(arguments: Engine.allCases)
  func `relations to the dead are in a difference, and named, and are not shown`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    let start = try await store.frontier()
    try await store.own(("b", "a"))
    try await store.relate("b", .free, "a", named: "f")
    try await store.relate("b", .free, "c", named: "f")
    let related = try await store.frontier()
    try await store.erase("a")
    let difference = try await store.diff(from: .frontier(start))
    #expect(difference.ended.map(\.id) == ["a"])
    #expect(difference.changed.map(\.id) == ["b"])
    #expect(difference.changed.first?.related.map(\.target) == ["a", "a", "c"])
    #expect(difference.changed.first?.dead == ["a"])
    #expect(difference.withoutDead.changed.first?.related.map(\.target) == ["c"])
    let reverse = try await store.diff(from: .now, to: .frontier(start))
    #expect(reverse.changed.first?.dead == ["a"])
    #expect(reverse.withoutDead.changed.first?.unrelated.map(\.target) == ["c"])
    let between = try await store.diff(from: .frontier(start), to: .frontier(related))
    #expect(between.changed.first?.related.map(\.target) == ["a", "a", "c"])
    #expect(between.changed.first?.dead == [] && between.withoutDead == between)
    let erased = try await store.frontier()
    try await store.unrelate("b", .free, "a", named: "f")
    let last = try await store.diff(from: .frontier(erased))
    #expect(last.changed.first?.dead == ["a"])
    #expect(last.withoutDead.isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `equal states do not differ`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a", ["color": "red"])
    let frontier = try await store.frontier()
    try await store.set("a", "color", "blue")
    try await store.set("a", "color", "red")
    #expect(try await store.diff(from: .frontier(frontier)).isEmpty)
    #expect(try await store.diff(from: .now).isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `a difference lists an ownership that a re-creation ended, at its owner`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("shop", "hat")
    try await store.own(("shop", "hat"))
    let before = try await store.frontier()
    try await store.erase("hat")
    try await store.createNodes("hat")
    let change = try await store.diff(from: .frontier(before)).changed.first { $0.id == "shop" }
    #expect(change?.unrelated.map(\.target) == ["hat"])
  }

  @Test(arguments: Engine.allCases)
  func `a difference lists to-many properties whose elements died or revived, and empty ones`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("t", "a", "b", "owner")
    try await store.own(("owner", "a"))
    try await store.setCollection("t", "x", to: ["a", "b"])
    try await store.setCollection("t", "empty", to: [])
    let before = try await store.frontier()
    try await store.erase("owner")
    try await store.set("t", "empty", 1)
    let between = try await store.frontier()
    let died = try await store.diff(from: .frontier(before)).changed.first { $0.id == "t" }
    #expect(died?.collections.map(\.old) == [[], ["a", "b"]])
    #expect(died?.collections.map(\.new) == [nil, ["b"]])
    try await store.restore("owner")
    let revived = try await store.diff(from: .frontier(between)).changed.first { $0.id == "t" }
    #expect(revived?.collections.map(\.new) == [["a", "b"]])
  }
}
