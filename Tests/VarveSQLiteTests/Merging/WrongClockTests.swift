import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Clocks that are wrong (R11)")
struct WrongClockTests {
  private static let hour: Int64 = 3_600_000
  private static let year: Int64 = 365 * 24 * hour
  private let clock = TestClock()

  @Test func `a commit from the future is kept, relayed, and applied when it is due`() async throws
  {
    let scratch = try Scratch()
    let ahead = try await openBackend(clock: clock, skew: Self.hour)
    let here = try await openBackend(scratch.path("here"), clock: clock)
    let third = try await openBackend(clock: clock)
    try await ahead.create("hat", "Hat", ["color": "red"])
    try await ahead.set("hat", "color", "blue")
    let report = try await here.catchUp(with: ahead)
    #expect(report.addedCount == 2 && report.withheldCount == 2)
    try await expect(here, hat: nil, commits: 2)
    // Commits written meanwhile are not stamped in the future, and do not depend on such commits.
    let id = try await here.create("cap", "Hat", ["color": "green"])
    let commit = try #require(try await here.allCommits().first { $0.id == id })
    #expect(commit.header.time.millisecondsSince1970 <= clock.now)
    #expect(commit.header.dependencies == [])
    #expect(try await third.catchUp(with: here).withheldCount == 2)
    try await expect(third, hat: nil, commits: 3)
    try await here.expectFold(["hat", "cap"], clock: clock)

    clock.advance(by: Self.hour - HybridClock.defaultToleranceMilliseconds + 1)
    // A write notices, even one that writes nothing.
    _ = try await third.write(WriteRequest()) { _ in }
    try await expect(third, hat: "blue", commits: 3)
    try await here.close()
    // So does opening.
    let reopened = try await openBackend(scratch.path("here"), clock: clock)
    try await expect(reopened, hat: "blue", commits: 3)
    for backend in [reopened, third] {
      try await backend.set("hat", "size", 12)
      let newest = try #require(try await backend.allCommits().last)
      #expect(newest.header.dependencies.contains { $0.sequence == 2 })
      try await backend.expectFold(["hat", "cap"], clock: clock)
    }
    for backend in [ahead, reopened, third] { try await backend.close() }
  }

  @Test func `commits that depend on a withheld commit wait for it`() async throws {
    let ahead = try await openBackend(clock: clock, skew: Self.hour)
    let near = try await openBackend(clock: clock, skew: Self.hour)
    let here = try await openBackend(clock: clock)
    try await ahead.create("hat", "Hat", ["color": "red"])
    try await near.catchUp(with: ahead)
    try await near.set("hat", "color", "blue")
    try await here.catchUp(with: near)
    #expect(try await here.value("hat", "color") == nil)
    clock.advance(by: Self.hour)
    _ = try await here.write(WriteRequest()) { _ in }
    #expect(try await here.value("hat", "color") == "blue")
    try await here.expectFold(["hat"], clock: clock)
    for backend in [ahead, near, here] { try await backend.close() }
  }

  @Test func `a withheld erasure and late rows are correct after a rebuild, in the past too`()
    async throws
  {
    let ahead = try await openBackend(clock: clock, skew: Self.hour)
    let here = try await openBackend(clock: clock)
    try await here.create("hat", "Hat", ["color": "red"])
    try await ahead.catchUp(with: here)
    try await ahead.create("future", "Hat", ["new key": true])
    try await ahead.write([.erase("hat")])
    try await here.catchUp(with: ahead)
    let frontier = try await here.frontier()
    clock.advance(by: 10)
    try await here.create("cap", "Hat", ["other key": 1])
    try await here.create("coat", "Coat")
    clock.advance(by: Self.hour)
    _ = try await here.write(WriteRequest()) { _ in }
    let moment = Moment.time(HybridTime(millisecondsSince1970: clock.now - Self.hour))
    let ids: [EntityID] = ["hat", "future", "cap", "coat"]
    // The same readers are used before and after the numbers of rows, types and keys change.
    for moment in [moment, .frontier(frontier)] {
      try await here.expectFold(ids, at: [moment], clock: clock)
    }
    for backend in [ahead, here] { try await backend.close() }
  }

  @Test
  func `a device whose clock was a year ahead continues under another id, with all its data`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let wrong = try await openBackend(path, clock: clock, skew: Self.year)
    try await wrong.create("hat", "Hat", ["color": "red"])
    let replica = try await wrong.replica()
    try await wrong.close()

    let right = try await openBackend(path, clock: clock)
    try await right.create("cap", "Hat", ["color": "green"])
    #expect(try await right.replica() != replica)
    let renamed = try await right.replica()
    for n in 0..<3 {
      clock.advance(by: 1)
      try await right.set("cap", "n", .int(Int64(n)))
    }
    #expect(try await right.replica() == renamed)
    #expect(try await right.value("cap", "n") == 2)
    let newest = try await right.read(at: .now) { try await $0.log(limit: 4, offset: 0) }
    for summary in newest {
      #expect(summary.id.replica == renamed)
      #expect(summary.time.millisecondsSince1970 <= clock.now + 1)
    }
    #expect(try await right.findings() == [])
    // Other stores apply the commits that are due at once, and the rest a year later.
    let other = try await openBackend(clock: clock)
    #expect(try await other.catchUp(with: right).withheldCount == 1)
    #expect(try await other.value("cap", "n") == 2)
    #expect(try await other.findings() == [])
    clock.advance(by: Self.year)
    for backend in [right, other] {
      _ = try await backend.write(WriteRequest()) { _ in }
      #expect(try await backend.value("hat", "color") == "red")
      try await backend.expectFold(["hat", "cap"], clock: clock)
      try await backend.close()
    }
  }

  @Test(arguments: 0..<5 as Range<UInt64>)
  func `a clock that jumps back and forth leaves stamps rising`(seed: UInt64) async throws {
    let backend = try await openBackend(clock: clock)
    var random = SplitMix64(seed: seed)
    let jumps: [Int64] = [-Self.hour, Self.hour, -60_000, 60_000, 0, 1, -1, 4 * 60_000]
    try await backend.create("hat", "Hat")
    for n in 0..<40 {
      clock.advance(by: random.pick(jumps))
      try await backend.set("hat", "n", .int(Int64(n)))
      #expect(try await backend.value("hat", "n") == .int(Int64(n)), "seed \(seed), write \(n)")
    }
    #expect(try await backend.findings() == [])
    try await backend.rebuild()
    #expect(try await backend.value("hat", "n") == 39)
    try await backend.close()
  }

  private func expect(
    _ backend: SQLiteBackend,
    hat color: Value?,
    commits: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    #expect(try await backend.value("hat", "color") == color, sourceLocation: sourceLocation)
    #expect(try await backend.allCommits().count == commits, sourceLocation: sourceLocation)
    #expect(try await backend.findings() == [], sourceLocation: sourceLocation)
  }
}
