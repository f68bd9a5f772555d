import Foundation
import Testing
import VarveCore
import VarveTestSupport

@Suite("Hybrid time")
struct HybridTimeTests {
  @Test func `separates milliseconds and counter, before 1970 too`() {
    for milliseconds in [0, 1, -1, -123_456, 1 << 47 - 1, -(1 << 47)] as [Int64] {
      for counter in [0, 1, .max] as [UInt16] {
        let time = HybridTime(millisecondsSince1970: milliseconds, counter: counter)
        #expect(time.millisecondsSince1970 == milliseconds)
        #expect(time.counter == counter)
      }
    }
  }

  @Test
  func `of an instant has the fraction of the millisecond as its counter, and 0 for whole ones`()
    throws
  {
    var random = SplitMix64(seed: 7)
    for _ in 0..<2_000 {
      let milliseconds = Int64.random(in: -4_000_000_000_000...4_000_000_000_000, using: &random)
      let time = HybridTime(millisecondsSince1970: milliseconds)
      let reference = Double(milliseconds - 978_307_200_000) / 1_000
      for date in [time.date, Date(timeIntervalSinceReferenceDate: reference)] {
        #expect(try HybridTime(instant: date) == time)
        #expect(try HybridTime(instant: date).lastOfDate == time.endOfMillisecond)
      }
      let half = try HybridTime(instant: time.date.addingTimeInterval(0.000_5))
      #expect(half.millisecondsSince1970 == milliseconds)
      #expect(abs(Int(half.counter) - 32_768) < 256)
      #expect(half.lastOfDate == half)
    }
  }

  @Test func `hybrid time is ordered by millisecond, then counter, across 1970`() {
    let rising = [
      HybridTime.distantPast, HybridTime(millisecondsSince1970: -2),
      HybridTime(millisecondsSince1970: -1), HybridTime(millisecondsSince1970: -1, counter: 9),
      HybridTime(millisecondsSince1970: -1).endOfMillisecond, HybridTime(millisecondsSince1970: 0),
      HybridTime(millisecondsSince1970: 0).successor, HybridTime(millisecondsSince1970: 1),
      .distantFuture,
    ]
    #expect(rising == rising.sorted())
    #expect(Set(rising).count == rising.count)
  }

  @Test func `hybrid time survives the way through its date`() throws {
    var random = SplitMix64(seed: 6)
    for _ in 0..<20_000 {
      let range: Range<Int64> = -62_000_000_000_000..<130_000_000_000_000
      let time = HybridTime(millisecondsSince1970: .random(in: range, using: &random))
      #expect(try HybridTime(time.date) == time)
    }
  }

  @Test func `hybrid time of a date is rounded down, and refused outside the years it can hold`()
    throws
  {
    #expect(try HybridTime(Date(timeIntervalSince1970: -0.000_5)).millisecondsSince1970 == -1)
    #expect(try HybridTime(Date(timeIntervalSince1970: 0.001_9)).millisecondsSince1970 == 1)
    for seconds in [Double.nan, .infinity, -.infinity, 1e12, -1e12] {
      let date = Date(timeIntervalSince1970: seconds)
      #expect(performing { try HybridTime(date) } == .timeOutOfRange)
    }
  }

  @Test func `hybrid time of stamps is broken by the replica`() {
    let (a, b) = (ReplicaID(high: 1, low: 0), ReplicaID(high: 1, low: 1))
    let (early, late) = (HybridTime(rawValue: 1), HybridTime(rawValue: 2))
    #expect(Stamp(time: early, replica: b) < Stamp(time: late, replica: a))
    #expect(Stamp(time: early, replica: a) < Stamp(time: early, replica: b))
  }
}

@Suite("The hybrid clock")
struct HybridClockTests {
  @Test func `the hybrid clock follows the wall clock, and rises if that stops or is set back`() {
    var clock = HybridClock()
    #expect(clock.tick(wallMilliseconds: 100) == HybridTime(millisecondsSince1970: 100))
    #expect(clock.tick(wallMilliseconds: 100) == HybridTime(millisecondsSince1970: 100, counter: 1))
    #expect(clock.tick(wallMilliseconds: 50) == HybridTime(millisecondsSince1970: 100, counter: 2))
    #expect(clock.tick(wallMilliseconds: 101) == HybridTime(millisecondsSince1970: 101))
  }

  @Test func `the hybrid clock rises above observed times`() {
    var clock = HybridClock()
    clock.observe(HybridTime(millisecondsSince1970: 500, counter: .max))
    #expect(clock.tick(wallMilliseconds: 100) == HybridTime(millisecondsSince1970: 501))
    clock.observe(HybridTime(millisecondsSince1970: 3))
    #expect(clock.tick(wallMilliseconds: 100) == HybridTime(millisecondsSince1970: 501, counter: 1))
  }

  @Test func `the hybrid clock withholds times more than five minutes ahead`() {
    let bound = 1_000 + HybridClock.defaultToleranceMilliseconds
    let (due, ahead) = (
      HybridTime(millisecondsSince1970: bound), HybridTime(millisecondsSince1970: bound + 1)
    )
    #expect(!HybridClock.isWithheld(due, wallMilliseconds: 1_000))
    #expect(HybridClock.isWithheld(ahead, wallMilliseconds: 1_000))
  }
}
