import Foundation
import Testing
import VarveCore
import VarveStore
import VarveStoreTestSupport
import VarveTestSupport

@Suite("A store whose clock was set back")
struct SetBackClockTests {
  private static let minutes: Int64 = 10 * 60_000

  /// Returns a store with what a body writes before the clock is set back, by this store and by one
  /// that it merges from.
  private func makeStore(
    _ engine: Engine,
    _ body: (Store) async throws -> Void,
    merging other: (Store) async throws -> Void = { _ in }
  ) async throws -> Store {
    let clock = TestClock()
    let store = try await VarveStoreTests.makeStore(engine, clock: clock)
    try await body(store)
    let merged = try await VarveStoreTests.makeStore(.memory, clock: clock)
    try await merged.merge(from: store)
    try await other(merged)
    try await store.merge(from: merged)
    clock.advance(by: -Self.minutes)
    return store
  }

  @Test(arguments: Engine.lasting)
  func `a store whose clock was set back gives a new life none of the former's values`(
    engine: Engine
  ) async throws {
    let date = Date(timeIntervalSinceNow: 86_400)
    let store = try await makeStore(engine) { store in
      try await store.create("t", id: "a", ["x": 1, "y": 1])
      try await store.set("a", "z", 1, at: date)
      try await store.setCollection("a", "list", to: ["b"], as: .list)
      try await store.erase("a")
    }
    try await store.create("t", id: "a", ["y": 2])
    let entity = try #require(try await store.entity("a"))
    #expect(entity.keys == ["y"])
    #expect(entity["y"] == 2)
    #expect(try await store.collection(of: "a", "list") == nil)
    try await store.addToCollection("a", "list", ["c"], as: .list)
    #expect(try await store.collection(of: "a", "list") == ["c"])
  }

  @Test(arguments: Engine.lasting)
  func `gives a new life none of the former's owners and owned`(engine: Engine) async throws {
    let store = try await makeStore(engine) { store in
      try await store.createNodes("owner", "a", "owned")
      try await store.own(("owner", "a"), ("a", "owned"))
      try await store.write { tx in
        try await tx.erase("owner")
        try await tx.restore("owner")
        try await tx.erase("a")
      }
    }
    try await store.create("node", id: "a")
    #expect(try await store.related("a", .ownedBy).isEmpty)
    #expect(try await store.live("owner", "a", "owned") == ["owner", "a"])
    try await store.erase("owner")
    #expect(try await store.live("owner", "a", "owned") == ["a"])
  }

  @Test(arguments: Engine.lasting)
  func `gives a new life no owner that was created anew too`(engine: Engine) async throws {
    let store = try await makeStore(engine) { store in
      try await store.createNodes("owner", "a")
      try await store.own(("owner", "a"))
      try await store.erase("a")
      try await store.erase("owner")
      try await store.create("node", id: "owner")
    }
    try await store.create("node", id: "a")
    #expect(try await store.live("owner", "a") == ["owner", "a"])
    #expect(try await store.related("a", .ownedBy).isEmpty)
  }

  @Test(arguments: Engine.lasting)
  func `sees its credible commits, although later ones are not`(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await VarveStoreTests.makeStore(engine, clock: clock)
    try await store.create("t", id: "a", ["x": 1])
    // With the counter of the stamps, this one has the stamp that a clock would give which began
    // anew.
    try await store.set("a", "x", 2)
    clock.advance(by: Self.minutes)
    try await store.create("t", id: "b")
    clock.advance(by: -Self.minutes)
    try await store.set("a", "x", 3)
    let other = try await VarveStoreTests.makeStore(.memory, clock: clock)
    clock.advance(by: Self.minutes + 1)
    try await other.merge(from: store)
    #expect(try await store.conflicts().isEmpty)
    #expect(try await other.conflicts().isEmpty)
    #expect(try await other.entity("a")?["x"] == 3)
  }

  @Test(arguments: Engine.lasting)
  func `writes a value for a date above another for that date`(engine: Engine) async throws {
    let date = Date(timeIntervalSince1970: 1_000)
    let store = try await makeStore(engine) { store in
      try await store.create("t", id: "a", at: date)
      try await store.set("a", "x", 1, at: date)
    } merging: { other in
      try await other.set("a", "x", 2, at: date)
    }
    try await store.set("a", "x", 3, at: date)
    #expect(try await store.entity("a")?["x"] == 3)
    #expect(try await store.asOf(date).entity("a")?["x"] == 3)
    try await store.set("a", "x", 4, at: date)
    #expect(try await store.entity("a")?["x"] == 4)
  }

  @Test(arguments: Engine.lasting)
  func `a store whose clock was set back erases for the date of a restoration`(engine: Engine)
    async throws
  {
    let date = Date(timeIntervalSince1970: 1_000)
    let store = try await makeStore(engine) { store in
      try await store.create("t", id: "a", at: Date(timeIntervalSince1970: 0))
      try await store.erase("a", at: date.addingTimeInterval(-1))
      try await store.restore("a", at: date)
    }
    try await store.erase("a", at: date)
    #expect(try await store.entity("a") == nil)
  }

  /// Returns the present state without what the clock decides: the dates of saves, and the order of
  /// relations.
  private func shape(of store: Store, _ cast: StoreCast) async throws -> StoreShape {
    var shape = try await StoreShape(store, cast).unordered
    for (id, figure) in shape.figures {
      shape.figures[id]?.properties = figure.properties.filter {
        $0.value.semanticType != "varve.derived"
      }
    }
    return shape
  }

  /// Only writes without dates: what lies in the future depends on the clock.
  @Test(arguments: 0..<12)
  func `a store whose clock was set back writes what another one writes`(seed: Int) async throws {
    let (clock, slow) = (TestClock(), TestClock())
    let store = try await VarveStoreTests.makeStore(.memory, clock: clock)
    let late = try await VarveStoreTests.makeStore(.memory, clock: slow)
    let cast = StoreCast(seed: UInt64(seed), idCount: 3)
    var generator = StoreStepGenerator(
      seed: UInt64(seed),
      cast: cast,
      sessionCount: 1,
      habits: .saves
    )
    for number in 0..<50 {
      if number == 20 { slow.advance(by: -Self.minutes) }
      clock.advance(by: 10)
      slow.advance(by: 10)
      let operation = generator.operation()
      guard !operation.isDated else { continue }
      let refusals = [
        await failure { try await store.write { try await operation.apply(to: $0) } }?.code,
        await failure { try await late.write { try await operation.apply(to: $0) } }?.code,
      ]
      #expect(refusals[0] == refusals[1], "\(operation)")
      let shapes = [try await shape(of: store, cast), try await shape(of: late, cast)]
      let difference = shapes[0].firstDifference(from: shapes[1])
      #expect(difference == nil, "after \(number): \(operation): \(difference ?? "")")
      guard difference == nil else { return }
    }
    #expect(try await late.check().isClean)
  }

  @Test(
    arguments: Engine.lasting
  )
  func `a write that would count for the former life of what is created anew is refused`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine) { store in
      try await store.create("t", id: "a", ["x": 1])
      try await store.create("t", id: "b")
    } merging: { other in
      try await other.erase("a")
      try await other.create("t", id: "a")
    }
    let count = try await store.log().count
    let writes: [(Store) async throws -> Void] = [
      { try await $0.set("a", "x", 2) }, { _ = try await $0.update("a", ["x": 2]) },
      { _ = try await $0.setCollection("a", "list", to: ["b"]) },
      { _ = try await $0.addToCollection("a", "list", ["b"]) },
      { try await $0.relate("a", .owns, "b") }, { try await $0.relate("b", .owns, "a") },
      { try await $0.relate("a", .free, "b") },
    ]
    for write in writes {
      #expect(await failure { try await write(store) }?.code == .invalidArgument)
    }
    #expect(try await store.log().count == count)
    try await store.set("b", "x", 2)
    #expect(try await store.require("b")["x"] == 2)
  }

  @Test(
    arguments: Engine.lasting
  )
  func `refuses to settle a conflict with commits that it cannot have seen`(engine: Engine)
    async throws
  {
    let clock = TestClock()
    let store = try await VarveStoreTests.makeStore(engine, clock: clock)
    try await store.create("t", id: "a", ["x": 1])
    try await store.create("t", id: "b", ["x": 1])
    clock.advance(by: -Self.minutes)
    // These commits are stamped below the creations, which they cannot name as seen.
    try await store.set("a", "x", 2)
    try await store.erase("b")
    let conflicts = try await store.conflicts()
    #expect(conflicts.map(\.entity) == ["a", "b"])
    for conflict in conflicts {
      let resolution: ConflictResolution = conflict.kind == .value ? .version(0) : .death
      let error = await failure { _ = try await store.resolve(conflict, by: resolution) }
      #expect(error?.code == .invalidArgument)
    }
    #expect(try await store.conflicts().count == 2)
    clock.advance(by: Self.minutes + 1)
    for conflict in conflicts {
      let resolution: ConflictResolution = conflict.kind == .value ? .version(0) : .death
      #expect(try await store.resolve(conflict, by: resolution))
    }
    #expect(try await store.conflicts().isEmpty)
  }
}

extension Engine {
  /// Those in which a commit that has taken effect stays in effect when the clock is set back. The
  /// reference backend folds for every read.
  fileprivate static let lasting: [Engine] = [.memory, .file]
}
