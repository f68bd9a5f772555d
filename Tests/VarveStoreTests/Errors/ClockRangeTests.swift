import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// A clock outside the years −2490 to 6429, which no commit's time can show.
@Suite struct ClockRangeTests {
  private static let range = HybridTime.millisecondsRange
  private static let outside = [
    Int64.min, range.lowerBound - 1, range.upperBound + 1, 200_000_000_000_000, .max,
  ]

  /// A store whose clock shows a time of `clock`, with a hat of an earlier time.
  private func store(_ engine: Engine, _ clock: TestClock) async throws -> Store {
    let store = try await makeStore(engine, clock: clock)
    try await store.create("Hat", id: "hat", ["color": "red"])
    return store
  }

  @Test func `messages name the bounds to the millisecond`() throws {
    let last = try #require(DateReader.read(HybridTime.lastDate))
    #expect(try HybridTime(last).millisecondsSince1970 == Self.range.upperBound)
    // A year of the Gregorian calendar repeats after 400 years, which are 146,097 days.
    let first = try #require(
      DateReader.read(HybridTime.firstDate.replacing("-2490-", with: "1910-"))
    )
    let milliseconds = try HybridTime(first).millisecondsSince1970
    #expect(milliseconds - 11 * 146_097 * 86_400_000 == Self.range.lowerBound)
  }

  @Test(arguments: [Engine.memory, .file], outside)
  func `every write is refused, nothing is written, and reads go on`(
    engine: Engine,
    milliseconds: Int64
  ) async throws {
    let clock = TestClock()
    let store = try await store(engine, clock)
    let other = try await makeStore(.memory)
    try await other.create("Hat", id: "other")
    let count = try await store.log().count
    clock.set(milliseconds)
    let writes: [(String, () async throws -> Void)] = [
      ("create", { try await store.create("Hat") }),
      ("set", { try await store.set("hat", "color", "blue") }),
      ("dated", { try await store.set("hat", "color", "blue", at: .distantPast) }),
      ("erase", { try await store.erase("hat") }),
      ("empty", { try await store.write { _ in } }),
      ("merge", { try await store.merge(from: other) }),
      ("compact", { try await store.compact(keeping: .seconds(60)) }),
    ]
    for (name, write) in writes {
      let error = await failure(write)
      #expect(error?.code == .timeOutOfRange, "\(name): \(error as Any)")
    }
    #expect(try await store.require("hat")["color"] == "red")
    #expect(try await store.log().count == count)
    #expect(try await store.check().findings == [])
    clock.set(TestClock().now)
    try await store.set("hat", "color", "blue")
    #expect(try await store.require("hat")["color"] == "blue")
  }

  @Test(arguments: [Engine.memory, .file])
  func `the first and the last millisecond can be written`(engine: Engine) async throws {
    for milliseconds in [Self.range.lowerBound, Self.range.upperBound] {
      let clock = TestClock()
      clock.set(milliseconds)
      let store = try await makeStore(engine, clock: clock)
      for number in 0..<3 {
        try await store.create("Hat", ["n": .int(Int64(number))])
      }
      #expect(try await store.count(Query("Hat")) == 3)
      #expect(try await store.check().findings == [])
    }
  }

  @Test(arguments: [Engine.memory, .file])
  func `no commit follows one at the end of time`(engine: Engine) async throws {
    let clock = TestClock()
    clock.set(Self.range.upperBound)
    let store = try await makeStore(engine, clock: clock) { configuration in
      configuration.wallTime = { HybridTime(rawValue: .max - 1) }
    }
    try await store.create("Hat", id: "a")
    try await store.create("Hat", id: "b")
    let error = await failure { try await store.create("Hat", id: "c") }
    #expect(error?.code == .timeOutOfRange)
    #expect(try await store.log().count == 2)
  }

  @Test(arguments: outside)
  func `a store is opened, also for reading only`(milliseconds: Int64) async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let store = try await Store.open(path)
    try await store.create("Hat", id: "hat")
    try await store.close()
    for isReadOnly in [false, true] {
      var configuration = Store.Configuration()
      configuration.wallMilliseconds = { milliseconds }
      configuration.isReadOnly = isReadOnly
      let store = try await Store.open(path, configuration: configuration)
      #expect(try await store.count(Query("Hat")) == 1)
      #expect(try await !store.hasDueCommits())
      try await store.close()
    }
  }
}
