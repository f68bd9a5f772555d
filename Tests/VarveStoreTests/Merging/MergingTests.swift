import Synchronization
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Merging")
struct MergingTests {
  @Test(arguments: Engine.allCases)
  func `a merge brings everything, once`(engine: Engine) async throws {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    try await there.createNodes("a", "b")
    try await there.set("a", "x", 1)
    let told = Mutex<[Int]>([])
    let report = try await here.merge(from: there) { progress in
      told.withLock { $0.append(progress.commitCount) }
    }
    #expect(report.commitCount == 2)
    #expect(told.withLock { $0 } == [2])
    #expect(try await here.require("a")["x"] == 1)
    #expect(try await here.frontier() == there.frontier())
    #expect(try await here.merge(from: there).commitCount == 0)
    #expect(try await here.merge(from: here).commitCount == 0)
  }

  @Test(arguments: Engine.allCases)
  func `after merging both ways, both are equal`(engine: Engine) async throws {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    try await here.createNodes("owner")
    try await there.merge(from: here)
    try await here.create("node", id: "b")
    try await here.relate("owner", .owns, "b")
    try await there.create("node", id: "c")
    try await there.relate("owner", .owns, "c")
    try await here.merge(from: there)
    try await there.merge(from: here)
    let order = try await here.relatedIDs("owner", .owns)
    #expect(Set(order) == ["b", "c"])
    #expect(try await there.relatedIDs("owner", .owns) == order)
    #expect(try await here.frontier() == there.frontier())
  }

  @Test(arguments: Engine.allCases)
  func `a merge reports the entities that died because of it`(engine: Engine) async throws {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    try await here.createNodes("a", "b")
    try await here.own(("a", "b"))
    try await there.merge(from: here)
    try await there.erase("a")
    let report = try await here.merge(from: there)
    #expect(Set(report.died) == ["a", "b"])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `an owner added elsewhere keeps alive entities of an erasure that had not seen it`(
    engine: Engine
  )
    async throws
  {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    try await here.createNodes("a", "b", "child")
    try await here.own(("a", "child"))
    try await there.merge(from: here)
    try await here.erase("a")
    try await there.relate("b", .owns, "child")
    try await here.merge(from: there)
    try await there.merge(from: here)
    #expect(try await here.live("child") == ["child"])
    #expect(try await there.live("child") == ["child"])
  }

  @Test(arguments: Engine.allCases)
  func `an id created on both sides is one entity`(engine: Engine) async throws {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    try await here.create("t", id: "a", ["x": 1])
    try await there.create("t", id: "a", ["y": 2])
    try await here.merge(from: there)
    #expect(try await here.require("a").keys == ["x", "y"])
    #expect(try await here.count(Query("t")) == 1)
  }

  @Test(arguments: Engine.allCases)
  func `a cancelled merge stops and can be continued`(engine: Engine) async throws {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    try await there.createNodes("a")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await here.merge(from: there)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await here.merge(from: there).commitCount == 1)
  }

  @Test(arguments: [(1, false), (3_600, true)])
  func `the clock tolerance can be configured`(seconds: Int, isTaken: Bool) async throws {
    let clock = TestClock()
    var ahead = Store.Configuration()
    ahead.wallMilliseconds = clock.reading(skew: 60_000)
    let there = try await Store.open(.inMemory, configuration: ahead)
    try await there.createNodes("a")
    var configuration = Store.Configuration()
    configuration.wallMilliseconds = clock.reading()
    configuration.clockTolerance = .seconds(seconds)
    let here = try await Store.open(.inMemory, configuration: configuration)
    let report = try await here.merge(from: there)
    #expect(report.withheldCount == (isTaken ? 0 : 1))
    #expect((try await here.entity("a") != nil) == isTaken)
    clock.advance(by: 60_000)
    try await here.createNodes("b")
    #expect(try await here.entity("a") != nil)
  }

  @Test(arguments: Engine.allCases)
  func `merging of an entity created twice, and anew in between`(engine: Engine) async throws {
    let clock = TestClock()
    let (here, there) = (
      try await makeStore(engine, clock: clock), try await makeStore(engine, clock: clock)
    )
    try await here.create("Hat", id: "1", ["x": 1])
    let first = try await here.frontier()
    try await here.erase("1")
    try await here.create("Shop", id: "1")
    clock.advance(by: 1)
    try await there.create("Cap", id: "1", ["x": 2])
    try await here.merge(from: there)
    #expect(try await here.asOf(.frontier(first)).entity("1")?.type == "Hat")
    #expect(try await here.entity("1")?.type == "Shop")
    guard engine != .reference else { return }
    #expect(try await here.check().findings == [])
  }
}
