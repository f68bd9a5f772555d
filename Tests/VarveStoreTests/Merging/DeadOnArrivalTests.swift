import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// One copy creates what another copy's erased entity owns.
@Suite("An entity that is dead when its creation arrives")
struct DeadOnArrivalTests {
  private struct Copies {
    let creator: Store
    let eraser: Store
    /// The state of the eraser before they met.
    let frontier: Frontier
  }

  private func copies(_ engine: Engine) async throws -> Copies {
    let clock = TestClock()
    let creator = try await makeStore(engine, clock: clock)
    let eraser = try await makeStore(engine, clock: clock)
    try await eraser.create("Shop", id: "s")
    try await eraser.own(("s", "h"))
    try await eraser.erase("s")
    let frontier = try await eraser.frontier()
    clock.advance(by: 10)
    try await creator.create("Hat", id: "h", ["size": 1])
    clock.advance(by: 10)
    try await creator.set("h", "size", 2)
    try await creator.sync(with: eraser)
    return Copies(creator: creator, eraser: eraser, frontier: frontier)
  }

  @Test(arguments: Engine.allCases)
  func `is in the timeline of its type in every copy`(engine: Engine) async throws {
    let copies = try await copies(engine)
    for store in [copies.creator, copies.eraser] {
      #expect(try await store.timeline(of: .type("Hat")).total == 2)
      #expect(try await store.timeline(of: .type("Shop")).total == 2)
      #expect(try await store.timeline(of: .entity("h")).total == 2)
    }
  }

  @Test(
    arguments: Engine.allCases
  )
  func `an owner that one commit created anew and erased has the type of that commit`(
    engine: Engine
  ) async throws {
    let clock = TestClock()
    let (one, two) = (
      try await makeStore(engine, clock: clock), try await makeStore(engine, clock: clock)
    )
    try await one.create("Shop", id: "s")
    try await two.sync(with: one)
    clock.advance(by: 10)
    try await two.create("Hat", id: "h")
    try await two.own(("s", "h"))
    clock.advance(by: 10)
    try await one.write { tx in
      try await tx.erase("s")
      try await tx.create("Cap", id: "s")
      try await tx.erase("s")
    }
    try await two.sync(with: one)
    let three = try await makeStore(engine, clock: clock)
    try await three.sync(with: two)
    for store in [one, two, three] {
      #expect(try await store.timeline(of: .type("Shop")).total == 0)
      #expect(try await store.timeline(of: .type("Cap")).total == 2)
      #expect(try await store.check().findings == [])
    }
  }

  @Test(
    arguments: Engine.allCases
  )
  func `has the type of the creation that counts, if one arrives while it is dead`(engine: Engine)
    async throws
  {
    let clock = TestClock()
    let (one, two) = (
      try await makeStore(engine, clock: clock), try await makeStore(engine, clock: clock)
    )
    try await two.create("Shop", id: "h")
    clock.advance(by: 10)
    try await one.create("Hat", id: "h")
    try await one.erase("h")
    try await one.sync(with: two)
    for store in [one, two] {
      #expect(try await store.timeline(of: .type("Hat")).total == 0)
      #expect(try await store.timeline(of: .type("Shop")).total == 3)
      #expect(try await store.check().findings == [])
    }
  }

  @Test(arguments: Engine.allCases)
  func `is not added by changes since a state in which it was dead`(engine: Engine) async throws {
    let copies = try await copies(engine)
    for store in [copies.creator, copies.eraser] {
      var live: Set<EntityID> = []
      var sets: [ChangeSet] = []
      let changes = try await store.changes(since: copies.frontier)
      while let set = changes.poll() {
        live.formUnion(set.added)
        live.subtract(set.erased)
        sets.append(set)
      }
      #expect(live.isEmpty && sets.allSatisfy(\.changed.isEmpty), "\(sets)")
      // A program that begins with the creations sees the life and its end.
      let all = try await store.changes(since: .empty)
      while let set = all.poll() {
        live.formUnion(set.added)
        live.subtract(set.erased)
      }
      #expect(live.isEmpty)
    }
  }
}
