import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// The number of intervals of a timeline.
@Suite struct TimelineSpanTests {
  @Test(arguments: Engine.allCases)
  func `the times of commits within a millisecond bound a span of few intervals`(
    engine: Engine
  ) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    #expect(try await store.timeline(intervals: 12).intervals.isEmpty)
    for number in 1...3 {
      try await store.create("t", id: EntityID("\(number)"))
      let log = try await store.log()
      let timeline = try await store.timeline(intervals: 12)
      let last = log[0].time.rawValue
      let first = log[number - 1].time.rawValue
      #expect(timeline.intervals.count == min(12, Int(last - first) + 1))
      #expect(timeline.intervals.count < 12)
      #expect(timeline.total == number)
    }
    clock.advance(by: 1)
    try await store.create("t", id: "4")
    #expect(try await store.timeline(intervals: 12).intervals.count == 12)
  }

  @Test(arguments: Engine.allCases)
  func `a date as bound stands for a whole millisecond`(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.create("t", id: "1")
    let date = try await store.log(limit: 1)[0].time.date
    for intervals in [12, 65_536, 100_000] {
      let timeline = try await store.timeline(from: date, to: date, intervals: intervals)
      #expect(timeline.intervals.count == min(intervals, 65_536))
      #expect(timeline.total == 1)
    }
  }
}
