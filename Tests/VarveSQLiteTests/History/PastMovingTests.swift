import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("A past state that moves", .serialized)
struct PastMovingTests {
  private func hat(_ number: Int) -> EntityID { EntityID(unchecked: "hat \(number)") }

  @Test(
    arguments: Seeds.first(12, of: 0..<400)
  )
  func `has the pages and the whole types of the fold, by time, by frontier and by both`(
    seed: UInt64
  ) async throws { try await move(seed: seed, playsOn: false) }

  @Test(
    arguments: Seeds.first(12, of: 1_000..<1_400)
  )
  func `has them while the history goes on, with purges and compactions`(seed: UInt64) async throws
  { try await move(seed: seed, playsOn: true) }

  private func move(seed: UInt64, playsOn: Bool) async throws {
    let history = try await PastHistory(
      seed: seed,
      stepCount: playsOn ? 30 : 60,
      forgetting: playsOn ? [.purges, .compacts] : []
    )
    var random = SplitMix64(seed: seed)
    for number in 0..<12 {
      if playsOn { try await history.play(4) }
      let kinds: [PastHistory.Kind] = [[.times], [.frontiers], [.times, .frontiers]][
        Int(seed / 2 % 3)
      ]
      guard let moment = try await history.moments(1, of: kinds, using: &random).first else {
        continue
      }
      let whole = random.chance(25)
      let difference = try await history.pageDifference(at: moment, using: &random)
      #expect(difference == nil, "seed \(seed), \(number), at \(moment): \(difference ?? "")")
      let other = try await history.difference(at: moment, inFull: whole)
      #expect(other == nil, "seed \(seed), \(number), at \(moment): \(other ?? "")")
      if difference != nil || other != nil { break }
    }
    try await history.close()
  }

  @Test func `steps forth and back by times, and is then read in full as if asked anew`()
    async throws
  {
    let clock = TestClock()
    let backend = try await openBackend(clock: clock, touchCapacity: 100)
    let start = clock.now
    for number in 0..<40 {
      try await backend.create(hat(number), "Hat", ["size": .int(Int64(number))])
    }
    for step in 0..<100 {
      clock.advance(by: 10)
      try await backend.write(
        (0..<3).map {
          .set(hat((step * 7 + $0) % 40), Assignment("size", .int(Int64(step))), time: nil)
        }
      )
    }
    var random = SplitMix64(seed: 1)
    var last = Moment.now
    for _ in 0..<200 {
      last = .time(
        HybridTime(millisecondsSince1970: start + Int64.random(in: 0...1_000, using: &random))
          .endOfMillisecond
      )
      _ = try await backend.read(at: last) { try await $0.fetch(Query("Hat").limit(5)) }
    }
    let moved = try await CanonicalExport(of: backend, at: last)
    let other = try await openBackend(clock: clock)
    _ = try await other.append(backend.commits(beyond: .empty, atMost: .max))
    let anew = try await CanonicalExport(of: other, at: last)
    #expect(moved.firstDifference(from: anew) == nil)
    try await backend.close()
    try await other.close()
  }

  @Test func `has the type of the creation that counted then, which the present lacks`()
    async throws
  {
    let clock = TestClock()
    let one = try await openBackend(clock: clock)
    let two = try await openBackend(clock: clock)
    try await one.create("x", "Hat")
    clock.advance(by: 10)
    try await two.create("x", "Shop")
    try await two.create("y", "Shop")
    let before = try await two.frontier()
    _ = try await two.append(one.commits(beyond: .empty, atMost: .max))
    let now = try await two.read(at: .now) { try await $0.fetch(Query("Shop").limit(2)).map(\.id) }
    #expect(now == ["y"])
    let then = try await two.read(at: .frontier(before)) {
      try await $0.fetch(Query("Shop").limit(2)).map(\.id)
    }
    #expect(then == ["x", "y"])
    try await one.close()
    try await two.close()
  }

  @Test func `a past state that moves finds by an index, as the present does`() async throws {
    let clock = TestClock()
    let backend = try await openBackend(clock: clock)
    try await backend.addIndex(on: "size", of: "Hat")
    for number in 0..<50 {
      try await backend.create(hat(number), "Hat", ["size": .int(Int64(number))])
    }
    let moment = Moment.time(HybridTime(millisecondsSince1970: clock.now).endOfMillisecond)
    clock.advance(by: 10)
    for number in 0..<25 { try await backend.set(hat(number), "size", 100) }
    let query = Query("Hat").where(Field("size") == 7)
    let (found, plan) = try await backend.read(at: moment) {
      (try await $0.fetch(query).map(\.id), try await $0.explain(query))
    }
    #expect(found == ["hat 7"])
    #expect(plan.contains("varve_index_") && plan.contains("varve_past_1_"), "\(plan)")
    #expect(!plan.contains("SCAN m") && !plan.contains("SCAN varve_past"), "\(plan)")
    try await backend.close()
  }

  @Test func `a past state that moves reads a page without sorting the type`() async throws {
    let clock = TestClock()
    let backend = try await openBackend(clock: clock)
    for number in 0..<50 { try await backend.create(hat(number), "Hat", ["size": 1]) }
    let moment = Moment.time(HybridTime(millisecondsSince1970: clock.now).endOfMillisecond)
    clock.advance(by: 10)
    try await backend.set("hat 3", "size", 2)
    try await backend.write([.erase("hat 5")])
    let query = Query("Hat").limit(10)
    let (found, plan) = try await backend.read(at: moment) {
      (try await $0.fetch(query), try await $0.explain(query))
    }
    #expect(found.map(\.id) == (0..<10).map(hat))
    #expect(found[3]["size"] == 1)
    #expect(!plan.contains("USE TEMP B-TREE"), "\(plan)")
    try await backend.close()
  }
}
