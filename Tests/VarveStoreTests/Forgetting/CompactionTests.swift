import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Compaction")
struct CompactionTests {
  /// Day by day a new price, from 0 on.
  private func priced(_ engine: Engine, _ clock: TestClock, days: Int) async throws -> Store {
    let store = try await makeStore(engine, clock: clock)
    try await store.create("Hat", id: "hat", ["color": "red", "price": -1])
    for day in 0..<days {
      try await store.set("hat", "price", .int(Int64(day)))
      clock.advance(by: 86_400_000)
    }
    return store
  }

  @Test(arguments: Engine.allCases)
  func `compaction keeps the present and everything since the horizon`(engine: Engine) async throws
  {
    let clock = TestClock()
    let store = try await priced(engine, clock, days: 10)
    let report = try await store.compact(keeping: .seconds(3 * 86_400 + 3_600), author: "sam")
    #expect(report.cellCount == 7 && report.commit?.kind == .redactions)
    #expect(try await store.history(of: "hat", "price").map(\.value) == [9, 8, 7, 6])
    #expect(try await store.entity("hat")?["price"] == 9)
    #expect(try await store.entity("hat")?["color"] == "red")
    #expect(try await store.asOf(.test(7.5 * 86_400)).entity("hat")?["price"] == 7)
    let error = await failure { _ = try await store.asOf(.test(2 * 86_400)).entity("hat") }
    #expect(error?.code == .compacted && error?.place != nil && error?.remedy != nil)
    #expect(try await store.compact(keeping: .seconds(3 * 86_400 + 3_600)).commit == nil)
    let findings = try await store.check()
    #expect(findings.isClean, "\(findings.findings)")
    try await store.rebuild()
    #expect(try await store.history(of: "hat", "price").count == 4)
    let after = await failure { _ = try await store.asOf(.test(2 * 86_400)).entity("hat") }
    #expect(after?.code == .compacted)
  }

  @Test(arguments: Engine.allCases)
  func `compaction keeps only present values if no history is to be kept`(engine: Engine)
    async throws
  {
    let store = try await priced(engine, TestClock(), days: 5)
    #expect(try await store.compact(keeping: .zero).cellCount == 5)
    #expect(try await store.history(of: "hat", "price").map(\.value) == [4])
  }

  @Test(arguments: Engine.allCases)
  func `compaction refuses a frontier that lacks folded commits`(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await priced(engine, clock, days: 3)
    let old = try await store.log().last.map { Frontier([$0.id]) } ?? .empty
    let late = try await store.frontier()
    try await store.set("hat", "price", 99)
    try await store.compact(keeping: .seconds(3_600))
    #expect(try await store.asOf(late).entity("hat")?["price"] == 2)
    let error = await failure { _ = try await store.asOf(old).entity("hat") }
    #expect(error?.code == .compacted)
    #expect(
      await failure { try await store.compact(before: .test(99 * 86_400)) }?.code
        == .invalidArgument
    )
  }

  @Test func `compaction reaches a store that was offline, and receives its writes`() async throws {
    let clock = TestClock()
    let store = try await priced(.memory, clock, days: 3)
    let away = try await makeStore(.memory, clock: clock)
    try await away.sync(with: store)
    try await away.set("hat", "color", "blue")
    for day in 3..<30 {
      try await store.set("hat", "price", .int(Int64(day)))
      clock.advance(by: 86_400_000)
    }
    try await store.compact(keeping: .seconds(86_400))
    try await away.set("hat", "size", 7)
    try await away.sync(with: store)
    for one in [store, away] {
      #expect(try await one.history(of: "hat", "price").map(\.value) == [29])
      let hat = try await one.entity("hat")
      #expect(hat?["color"] == "blue" && hat?["price"] == 29 && hat?["size"] == 7)
      let findings = try await one.check()
      #expect(findings.isClean, "\(findings.findings)")
    }
    let late = try await makeStore(.memory, clock: clock)
    try await late.merge(from: away)
    #expect(try await late.history(of: "hat", "price").map(\.value) == [29])
  }

  @Test func `compaction keeps values in conflict`() async throws {
    let clock = TestClock()
    let (left, right) = (
      try await makeStore(.memory, clock: clock), try await makeStore(.memory, clock: clock)
    )
    try await left.create("Hat", id: "hat", ["color": "red"])
    try await right.sync(with: left)
    clock.advance(by: 1_000)
    try await left.set("hat", "color", "green")
    clock.advance(by: 1_000)
    try await right.set("hat", "color", "blue")
    try await right.sync(with: left)
    clock.advance(by: 86_400_000)
    let before = try await left.conflicts()
    #expect(before.count == 1)
    #expect(try await left.compact(keeping: .seconds(60)).cellCount == 1)
    #expect(try await left.conflicts() == before)
    try await right.sync(with: left)
    #expect(try await right.conflicts() == before)
    #expect(try await right.history(of: "hat", "color").map(\.value) == ["blue", "green"])
  }
}
