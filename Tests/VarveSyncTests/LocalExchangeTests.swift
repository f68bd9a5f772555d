import Testing
import VarveCore
import VarveStore
import VarveSync
import VarveTestSupport

@Suite("Two logs in one process")
struct LocalExchangeTests {
  private let clock = TestClock()

  private func log() -> ReferenceBackend { ReferenceBackend(wallMilliseconds: clock.reading()) }

  private var limits: SyncLimits {
    var limits = SyncLimits()
    (limits.part, limits.append, limits.whole, limits.window) = (600, 500, 900, 1_500)
    return limits
  }

  /// Commits of many sizes, some of them too large to be passed on at once.
  private func write(_ count: Int, to log: some Backend, _ name: String) async throws {
    for number in 0..<count {
      clock.advance(by: 1)
      let value = Value.data(noise(number % 5 == 4 ? 3_000 : 40 * number, seed: UInt64(number)))
      try await log.create(EntityID(unchecked: "\(name) \(number)"), ["picture": value])
    }
  }

  @Test func `have the same in the end, whatever is larger than a part, a window or both`()
    async throws
  {
    let (here, there) = (log(), log())
    try await write(12, to: here, "here")
    try await write(9, to: there, "there")
    var exchange = LocalExchange(here, there, limits: limits)
    var counts: [Int] = []
    let reports = try await exchange.run { counts.append($0.receivedCount) }
    #expect(reports.here.receivedCount == 9 && reports.here.sentCount == 12)
    #expect(reports.there.sentCount == 9)
    #expect(reports.there.receivedCount == 12 && reports.there.isComplete)
    #expect(counts.last == 9 && counts == counts.sorted(), "\(counts)")
    #expect(counts.count > 1)
    try await expectEqual(here, there)
  }

  @Test func `two logs in one process leave the other as it is, if commits go one way`()
    async throws
  {
    let (here, there) = (log(), log())
    try await write(12, to: here, "here")
    try await write(9, to: there, "there")
    let frontier = try await there.frontier()
    var exchange = LocalExchange(here, there, isOneWay: true, limits: limits)
    let reports = try await exchange.run()
    #expect(reports.here.receivedCount == 9 && reports.here.sentCount == 0)
    #expect(reports.there == SyncReport(sending: reports.there))
    #expect(try await there.frontier() == frontier)
    #expect(try await here.commitCount(beyond: .empty) == 21)
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func `two logs in one process do in one process what a connection does`(seed: UInt64) async throws
  {
    let fleet = Fleet.reference(count: 3, seed: seed)
    var generator = HistoryGenerator(seed: seed, replicaCount: 3)
    try await fleet.run(generator.steps(40))
    let copies = try fleet.backends.map { backend in
      try #require(backend as? ReferenceBackend).copy()
    }
    var exchange = LocalExchange(fleet.backends[0], fleet.backends[1])
    let (here, there) = try await exchange.run()
    let peers = try await synchronize(copies[0], copies[1])
    #expect(here.receivedCount == peers.left.receivedCount, "seed \(seed)")
    #expect(there.receivedCount == peers.right.receivedCount, "seed \(seed)")
    #expect(here.died == peers.left.died && here.isComplete, "seed \(seed)")
    try await expectEqual(fleet.backends[0], fleet.backends[1])
    try await expectEqual(fleet.backends[0], copies[0])
  }

  @Test func `end with the error of the one that failed, and keep what had come`() async throws {
    let (here, there) = (log(), log())
    try await write(12, to: there, "there")
    var exchange = LocalExchange(FullLog(base: here, room: Counter(2)), there, limits: limits)
    let error = await #expect(throws: VarveError.self) { try await exchange.run() }
    #expect(error?.code == .diskFull)
    #expect(try await here.commitCount(beyond: .empty) > 0)
    var again = LocalExchange(here, there, limits: limits)
    _ = try await again.run()
    try await expectEqual(here, there)
  }

  @Test(arguments: [false, true])
  func `a store opened for reading only is merged from`(isEmpty: Bool) async throws {
    let scratch = try Scratch()
    let source = try await Store.open(scratch.path("source"))
    if !isEmpty { try await source.create("Hat", id: "hat") }
    try await source.close()
    var configuration = Store.Configuration()
    configuration.isReadOnly = true
    let reader = try await Store.open(scratch.path("source"), configuration: configuration)
    let here = try await Store.open(.inMemory)
    #expect(try await here.merge(from: reader).commitCount == (isEmpty ? 0 : 1))
    #expect(try await here.frontier() == reader.frontier())
    for store in [reader, here] { try await store.close() }
  }
}

extension SyncReport {
  /// The report of a side that only sends.
  fileprivate init(sending report: SyncReport) {
    self.init()
    sentCount = report.sentCount
    sentByteCount = report.sentByteCount
  }
}

/// Counts down.
private actor Counter {
  private var left: Int

  init(_ count: Int) { left = count }

  func isUsedUp() -> Bool {
    left -= 1
    return left < 0
  }
}

/// A log with room for some additions.
private struct FullLog: CommitLogDecorator {
  let base: any CommitLog
  let room: Counter

  func append(_ commits: [Commit], outline: Horizon?) async throws -> AppendReport {
    if await room.isUsedUp() { throw VarveError(.diskFull, "the disk is full") }
    return try await base.append(commits, outline: outline)
  }
}
