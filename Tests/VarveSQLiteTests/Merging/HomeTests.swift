import Foundation
import Synchronization
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("A log at home in a plain file, with an SQLite file as its index")
struct HomeTests {
  private let clock = TestClock()
  private let scratch = try? Scratch()

  private func open(
    _ index: String,
    home: any LogHome,
    skew: Int64 = 0
  ) async throws -> SQLiteBackend {
    var configuration = SQLiteBackend.Configuration()
    configuration.wallMilliseconds = clock.reading(skew: skew)
    configuration.home = home
    return try await SQLiteBackend.open(
      .file(try #require(scratch).path(index)),
      configuration: configuration
    )
  }

  private func home() throws -> FileHome { try FileHome(try #require(scratch).path("home")) }

  private func remove(_ index: String) throws {
    for suffix in ["", "-wal", "-shm"] {
      let path = try #require(scratch).path(index) + suffix
      if FileManager.default.fileExists(atPath: path) {
        try FileManager.default.removeItem(atPath: path)
      }
    }
  }

  private func expectEqual(
    _ left: any Backend,
    _ right: any Backend,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let heads = (try await left.frontier(), try await right.frontier())
    #expect(heads.0 == heads.1, sourceLocation: sourceLocation)
    let exports = (try await CanonicalExport(of: left), try await CanonicalExport(of: right))
    #expect(exports.0.firstDifference(from: exports.1) == nil, sourceLocation: sourceLocation)
  }

  @Test("is there again from the home alone, if the index is lost")
  func lostIndex() async throws {
    let index = try await open("index", home: try home())
    for number in 0..<5 { try await index.create(EntityID(unchecked: "\(number)"), "Hat") }
    try await index.set("1", "size", 3)
    let before = try await CanonicalExport(of: index)
    try await index.close()
    try remove("index")
    let again = try await open("index", home: try home())
    #expect(try await CanonicalExport(of: again) == before)
    #expect(try await again.findings() == [])
    try await again.set("1", "size", 4)
    #expect(try await again.value("1", "size") == 4)
  }

  @Test("has what was written when the process ended before its index could follow, and no fork")
  func killed() async throws {
    let index = try await open("index", home: KilledHome(try home(), after: 2))
    let replica = try await index.replica()
    try await index.create("one", "Hat")
    try await index.set("one", "size", 1)
    await #expect(throws: KilledHome.Killed.self) { try await index.set("one", "size", 2) }
    #expect(try await index.value("one", "size") == 1)
    try await index.close()
    let again = try await open("index", home: try home())
    #expect(try await again.value("one", "size") == 2)
    #expect(try await again.replica() == replica)
    try await again.set("one", "size", 3)
    #expect(try await again.chains().count == 1)
    #expect(try await again.findings() == [])
  }

  @Test("passes over an addition whose process was killed half-way")
  func torn() async throws {
    let path = try #require(scratch).path("home")
    let index = try await open("index", home: try home())
    try await index.create("one", "Hat")
    try await index.close()
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    for count in [1, 8, 39, 41, 200] {
      try (whole + Data(whole.prefix(count))).write(to: URL(fileURLWithPath: path))
      let again = try await open("index", home: try home())
      try await again.set("one", "size", .int(Int64(count)))
      #expect(try await again.findings() == [])
      try await again.close()
      try remove("other")
      let other = try await open("other", home: try home())
      #expect(try await other.value("one", "size") == .int(Int64(count)))
      try await other.close()
      try whole.write(to: URL(fileURLWithPath: path))
      try remove("index")
    }
  }

  @Test("is written through two indexes in turns, each of which sees what the other wrote first")
  func twoIndexes() async throws {
    let (one, two) = (try await open("one", home: home()), try await open("two", home: home()))
    for number in 0..<6 {
      let writer = number % 2 == 0 ? one : two
      _ = try await writer.write(WriteRequest()) { transaction in
        let count = try await transaction.types().first?.count ?? 0
        let id = EntityID(unchecked: "hat \(count)")
        try await VarveTestSupport.Operation.create(Creation(id, "Hat")).apply(to: transaction)
      }
    }
    try await one.follow()
    try await two.follow()
    try await expectEqual(one, two)
    #expect(try await one.read(at: .now) { try await $0.types().first?.count } == 6)
    let latest = try await one.commits(beyond: .empty, atMost: .max)
    #expect(latest.dropFirst().allSatisfy { !$0.needed.isEmpty })
    for index in [one, two] { #expect(try await index.findings() == []) }
  }

  @Test("leaves no trace of a write that fails")
  func failed() async throws {
    struct Refused: Error {}
    let index = try await open("index", home: try home())
    try await index.create("one", "Hat")
    await #expect(throws: Refused.self) {
      _ = try await index.write(WriteRequest()) { writer in
        _ = try await writer.apply(.life(.erased), to: "one", time: nil)
        throw Refused()
      }
    }
    let other = try await open("other", home: try home())
    #expect(try await other.commitCount(beyond: .empty) == 1)
  }

  @Test("forgets what is purged, at home and in every index")
  func purged() async throws {
    let path = try #require(scratch).path("home")
    let one = try await open("one", home: try home())
    let two = try await open("two", home: try home())
    try await one.create("hat", "Hat", ["secret": "a very plain secret"])
    try await one.create("other", "Hat", ["color": "red"])
    try await two.follow()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: secret) != nil)
    try await Store(backend: two).purge(["hat"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: secret) == nil)
    try await one.follow()
    try await expectEqual(one, two)
    let three = try await open("three", home: try home())
    try await expectEqual(three, two)
    #expect(try await three.partialCount() == 0)
    for index in [one, two, three] { #expect(try await index.findings() == []) }
  }

  private var secret: Data { Data("a very plain secret".utf8) }

  @Test("that goes back to an earlier state is given again what it lost")
  func wentBack() async throws {
    let path = try #require(scratch).path("home")
    let index = try await open("index", home: try home())
    try await index.create("one", "Hat")
    let earlier = try Data(contentsOf: URL(fileURLWithPath: path))
    try await index.create("two", "Hat")
    let frontier = try await index.frontier()
    try earlier.write(to: URL(fileURLWithPath: path))
    let other = try await open("other", home: try home())
    try await other.create("three", "Hat")
    try await index.follow()
    try await other.follow()
    try await expectEqual(index, other)
    #expect(try await other.held(among: frontier.heads).count == frontier.heads.count)
  }

  @Test("takes over the log of a store that had none, and synchronises like any other")
  func moved() async throws {
    let plain = try await openBackend(try #require(scratch).path("index"), clock: clock)
    for number in 0..<3 { try await plain.create(EntityID(unchecked: "\(number)"), "Hat") }
    try await plain.close()
    let index = try await open("index", home: try home())
    let other = try await openBackend(clock: clock)
    try await other.create("elsewhere", "Hat")
    try await Store(backend: index).sync(with: Store(backend: other))
    try await expectEqual(index, other)
    let fresh = try await open("fresh", home: try home())
    try await expectEqual(fresh, other)
    #expect(try await fresh.replica() != index.replica())
  }

  @Test("reports a purge as done if its commit arrived, and destroys the bytes with its next turn")
  func interruptedReplacement() async throws {
    let path = try #require(scratch).path("home")
    let failing = FailingHome(try home())
    let one = try await open("one", home: failing)
    try await one.create("hat", "Hat", ["secret": "a very plain secret"])
    failing.failsToReplace.withLock { $0 = true }
    try await Store(backend: one).purge(["hat"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: secret) != nil)
    await #expect(throws: FailingHome.Failed.self) { try await one.value("hat", "secret") }
    failing.failsToReplace.withLock { $0 = false }
    #expect(try await one.value("hat", "secret") == nil)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: secret) == nil)
    #expect(try await one.findings() == [])
    try await one.close()
  }

  @Test(
    "in random histories, with indexes lost, killed and behind",
    arguments: 0..<6 as Range<UInt64>
  )
  func histories(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    var generator = HistoryGenerator(seed: seed, replicaCount: 1, startMilliseconds: clock.now)
    var indexes = [try await open("0", home: home()), try await open("1", home: home())]
    for _ in 0..<40 {
      clock.advance(by: 1_000)
      let place = random.chance(50) ? 0 : 1
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        try await indexes[place].close()
        if random.chance(50) { try remove("\(place)") }
        indexes[place] = try await open("\(place)", home: home())
      case 1:
        try await indexes[place].close()
        let killed = try await open("\(place)", home: KilledHome(home(), after: 0))
        _ = try? await killed.create(EntityID(unchecked: "killed \(random.next())"), "Hat")
        try await killed.close()
        indexes[place] = try await open("\(place)", home: home())
      default:
        guard case .write(_, let operations) = generator.next() else { continue }
        try await indexes[place].write(operations)
      }
    }
    for index in indexes { try await index.follow() }
    try await expectEqual(indexes[0], indexes[1])
    let reference = ReferenceBackend(wallMilliseconds: clock.reading())
    try await reference.catchUp(with: indexes[0])
    try await expectEqual(indexes[1], reference)
    for index in indexes { #expect(try await index.findings() == [], "seed \(seed)") }
  }
}

/// A home after whose last additions the process ends, before its index hears of it.
private final class KilledHome: LogHome {
  struct Killed: Error {}

  private let base: FileHome
  private let turns: Turns

  /// Counts additions.
  private actor Turns {
    private var left: Int
    init(_ count: Int) { left = count }
    func isLast() -> Bool {
      left -= 1
      return left < 0
    }
  }

  init(_ base: FileHome, after count: Int) {
    self.base = base
    turns = Turns(count)
  }

  func exclusively<Result>(
    patienceMilliseconds: Int,
    _ body: (any HomeTurn) async throws -> Result
  ) async throws -> Result {
    try await base.exclusively(patienceMilliseconds: patienceMilliseconds) { turn in
      try await body(Turn(base: turn, turns: turns))
    }
  }

  func flush() async throws { try await base.flush() }

  func close() async throws { try await base.close() }

  private struct Turn: HomeTurn {
    let base: any HomeTurn
    let turns: Turns

    var end: HomePosition { base.end }

    func forEachPart(
      after position: HomePosition,
      _ body: (CommitPart) throws -> Void
    ) async throws -> Bool { try await base.forEachPart(after: position, body) }

    func append(_ next: () throws -> CommitPart?) async throws {
      try await base.append(next)
      if await turns.isLast() { throw Killed() }
    }

    func replace(_ commits: [Commit]) async throws { try await base.replace(commits) }
  }
}

/// A home that can be told to fail to replace commits.
private final class FailingHome: LogHome {
  struct Failed: Error {}

  let failsToReplace = Mutex(false)
  private let base: FileHome

  init(_ base: FileHome) { self.base = base }

  func exclusively<Result>(
    patienceMilliseconds: Int,
    _ body: (any HomeTurn) async throws -> Result
  ) async throws -> Result {
    try await base.exclusively(patienceMilliseconds: patienceMilliseconds) { turn in
      try await body(Turn(base: turn, fails: failsToReplace.withLock { $0 }))
    }
  }

  func flush() async throws { try await base.flush() }

  func close() async throws { try await base.close() }

  private struct Turn: HomeTurn {
    let base: any HomeTurn
    let fails: Bool

    var end: HomePosition { base.end }

    func forEachPart(
      after position: HomePosition,
      _ body: (CommitPart) throws -> Void
    ) async throws -> Bool { try await base.forEachPart(after: position, body) }

    func append(_ next: () throws -> CommitPart?) async throws { try await base.append(next) }

    func replace(_ commits: [Commit]) async throws {
      if fails { throw Failed() }
      try await base.replace(commits)
    }
  }
}
