#if CommandLine && Server
import Foundation
import Synchronization
import Testing
import VarveCore
import VarveStore
import VarveSync
import VarveTestSupport

/// The exchange with a space, without any network.
@Suite struct ExchangeTests {
  private func transport(_ space: Store) throws -> FaultyTransport {
    let log = try space.sharedLog()
    return FaultyTransport(seed: 1, { SpaceResponder(log) }, fault: { .none })
  }

  @discardableResult
  private func exchange(
    _ store: Store,
    _ transport: FaultyTransport,
    after meeting: SpaceMeeting? = nil,
    limits: SyncLimits = SyncLimits()
  ) async throws -> SpaceExchange.Outcome {
    var exchange = SpaceExchange(try store.sharedLog(), transport, at: "test", limits: limits)
    return try await exchange.run(after: meeting)
  }

  @Test func `both sides have everything afterwards, and a second exchange finds nothing`()
    async throws
  {
    let (store, space) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
    for number in 0..<20 { _ = try await store.create("Hat", ["size": .int(Int64(number))]) }
    for number in 0..<30 { _ = try await space.create("Cap", ["size": .int(Int64(number))]) }
    let transport = try transport(space)
    let first = try await exchange(store, transport)
    #expect(first.report.sentCount == 20)
    #expect(first.report.receivedCount == 30)
    #expect(first.report.isComplete)
    #expect(try await store.frontier() == space.frontier())
    let second = try await exchange(store, transport)
    #expect(second.report.sentCount == 0)
    #expect(second.report.receivedCount == 0)
  }

  @Test func `from a meeting on, only what is new is exchanged, and nothing comes back`()
    async throws
  {
    let (store, space) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
    _ = try await store.create("Hat", id: "a")
    let transport = try transport(space)
    var meeting = try #require(try await exchange(store, transport).meeting)
    _ = try await store.create("Hat", id: "b")
    let sent = try await exchange(store, transport, after: meeting)
    #expect(sent.report.sentCount == 1)
    meeting = try #require(sent.meeting)
    // The position is already after the sent commits.
    #expect(try await space.sharedLog().end() == meeting.position.position)
    _ = try await space.create("Hat", id: "c")
    let received = try await exchange(store, transport, after: meeting)
    #expect(received.report.receivedCount == 1)
    #expect(received.report.sentCount == 0)
    #expect(try await store.frontier() == space.frontier())
  }

  @Test func `a store that is suspended between two requests goes on with the exchange`()
    async throws
  {
    let scratch = try Scratch()
    let store = try await Store.open(scratch.path("store"))
    let space = try await Store.open(.inMemory)
    for number in 0..<20 { _ = try await store.create("Hat", ["size": .int(Int64(number))]) }
    for number in 0..<30 { _ = try await space.create("Cap", ["size": .int(Int64(number))]) }
    let log = try space.sharedLog()
    let pauses = Mutex(0)
    let transport = FaultyTransport(
      seed: 1,
      { SpaceResponder(log) },
      fault: { .none },
      between: {
        try await store.suspend()
        try await store.resume()
        pauses.withLock { $0 += 1 }
      }
    )
    let outcome = try await exchange(store, transport)
    #expect(outcome.report.sentCount == 20)
    #expect(outcome.report.receivedCount == 30)
    #expect(try await store.frontier() == space.frontier())
    #expect(pauses.withLock { $0 } >= 3)
    try await store.close()
  }

  @Test func `small commits are packed both ways, for clients that read them so`() async throws {
    var counts: [Bool: (given: Int, fetched: Int)] = [:]
    for packed in [false, true] {
      let (store, space) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
      let log = try space.sharedLog()
      let transport = FaultyTransport(
        seed: 1,
        packed: packed,
        { SpaceResponder(log) },
        fault: { .none }
      )
      let meeting = try #require(try await exchange(store, transport).meeting)
      for number in 0..<100 { _ = try await store.create("Hat", ["size": .int(Int64(number))]) }
      for number in 0..<100 { _ = try await space.create("Cap", ["size": .int(Int64(number))]) }
      let part = try await SpaceResponder(log).part(.beyond(.empty), packed: packed)
      try await exchange(store, transport, after: meeting)
      #expect(try await store.frontier() == space.frontier())
      counts[packed] = (transport.givenByteCount.withLock { $0 }, part.records.count)
    }
    let (plain, packed) = (try #require(counts[false]), try #require(counts[true]))
    #expect(4 * packed.given < 3 * plain.given)
    #expect(4 * packed.fetched < 3 * plain.fetched)
  }

  @Test func `a place that the space never had makes both sides compare`() async throws {
    let (store, space) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
    _ = try await space.create("Hat", id: "a")
    let transport = try transport(space)
    let known = try #require(try await exchange(store, transport).meeting)
    let place = known.position.position
    let log = try space.sharedLog()
    _ = try await space.create("Hat")
    #expect(try await log.arrivals(after: place, atMost: 1, wholeUpTo: 1_000) != nil)
    for wrong in [
      HomePosition(incarnation: place.incarnation, number: 1, running: place.running ^ 1),
      HomePosition(incarnation: place.incarnation ^ 1, number: 1, running: place.running),
      HomePosition(incarnation: place.incarnation, number: 2, running: place.running),
      HomePosition(incarnation: place.incarnation, number: 3, running: place.running),
    ] {
      #expect(try await log.arrivals(after: wrong, atMost: 1, wholeUpTo: 1_000) == nil)
    }
    // A store that is bound to no space follows it to another copy of the log.
    let other = try await Store.open(.inMemory)
    try await other.merge(from: space)
    var exchange = SpaceExchange(try store.sharedLog(), try self.transport(other))
    _ = try await exchange.run(after: known)
    #expect(try await store.frontier() == other.frontier())
  }

  @Test func `nothing is sent to another space that has the address of the first`() async throws {
    let (store, space) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
    _ = try await store.create("Hat")
    let outcome = try await exchange(store, try transport(space))
    let other = try await Store.open(.inMemory)
    for meeting in [nil, outcome.meeting] {
      let error = await #expect(throws: VarveError.self) {
        try await exchange(store, try transport(other), after: meeting)
      }
      #expect(error?.code == .notFound)
    }
    #expect(try await other.log().isEmpty)
  }

  @Test func `large commits go both ways, block by block`() async throws {
    var limits = SyncLimits()
    limits.whole = 100_000
    limits.part = 50_000
    let (store, space) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
    let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
    _ = try await store.create("File", id: "mine", ["content": .data(bytes)])
    _ = try await space.create("File", id: "theirs", ["content": .data(bytes)])
    _ = try await store.create("File", id: "after")
    let log = try space.sharedLog()
    let small = limits
    let transport = FaultyTransport(
      seed: 1,
      { SpaceResponder(log, limits: small) },
      fault: { .none }
    )
    try await exchange(store, transport, limits: limits)
    #expect(try await store.frontier() == space.frontier())
    #expect(try await space.entity("mine")?.property("content")?.value == .data(bytes))
    #expect(try await store.entity("theirs")?.property("content")?.value == .data(bytes))
  }

  @Test func `both branches of a copied file arrive`() async throws {
    let scratch = try Scratch()
    let first = try await Store.open(scratch.path("a.varve"))
    for number in 0..<100 { _ = try await first.create("Hat", ["size": .int(Int64(number))]) }
    try await first.close()
    try FileManager.default.copyItem(
      atPath: scratch.path("a.varve"),
      toPath: scratch.path("b.varve")
    )
    let here = try await Store.open(scratch.path("a.varve"))
    let there = try await Store.open(scratch.path("b.varve"))
    for number in 0..<40 { _ = try await here.create("Cap", ["size": .int(Int64(number))]) }
    for number in 0..<60 { _ = try await there.create("Bag", ["size": .int(Int64(number))]) }
    let report = try await exchange(here, try transport(there)).report
    #expect(report.sentCount == 40)
    #expect(report.receivedCount == 60)
    #expect(Set(try await here.frontier().heads) == Set(try await there.frontier().heads))
    #expect(try await here.check().isClean)
  }

  @Test func `commits that redact others are taken from an admin only`() async throws {
    let (store, space) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
    _ = try await store.create("Hat", id: "hat-1", ["color": "red"])
    let transport = try transport(space)
    try await exchange(store, transport)
    try await store.write { _ = try await $0.purge(["hat-1"]) }
    _ = try await store.create("Hat", id: "after")
    let log = try store.sharedLog()
    let missing = try await log.commits(beyond: try await space.frontier(), atMost: .max)
    var writer = CommitStreamWriter()
    for commit in missing { writer.add(commit) }
    let bytes = writer.take()
    let refused = try await LogCaller.$current.withValue(LogCaller("eve", .limited)) {
      var refusing = try await SpaceResponder(try space.sharedLog()).intake()
      try await refusing.add(bytes)
      return try await refusing.finish()
    }
    #expect(refused.durable.isEmpty)
    #expect(refused.parked.count == missing.count)
    var taking = try await SpaceResponder(try space.sharedLog()).intake()
    try await taking.add(bytes)
    #expect(try await taking.finish().durable.count == missing.count)
    #expect(try await space.entity("hat-1") == nil)
  }

  @Test func `a reply names the first parked commits and counts the others`() async throws {
    let log = try await Store.open(.inMemory).sharedLog()
    var intake = try await SpaceResponder(log).intake()
    // Each three bytes are a header that cannot be read.
    try await intake.add([UInt8](repeating: 1, count: 15_000))
    let answer = try await intake.finish()
    #expect(answer.parked.count == 1_000)
    #expect(answer.unnamedParkedCount == 4_000)
    let decoded = try TakenAnswer(encoded: answer.encoded)
    #expect(decoded.parked.map(\.commit) == answer.parked.map(\.commit))
    #expect(decoded.unnamedParkedCount == 4_000)
  }

  @Test func `a request with more commits than it may have is refused`() async throws {
    let log = try await Store.open(.inMemory).sharedLog()
    var limits = SyncLimits()
    limits.requestCommitCount = 100
    var intake = try await SpaceResponder(log, limits: limits).intake()
    await expectFailure(.invalidArgument) {
      try await intake.add([UInt8](repeating: 1, count: 10_000))
    }
  }

  @Test(arguments: 1...12)
  func `whatever the network does, nothing acknowledged is lost and both sides end equal`(
    seed: UInt64
  ) async throws {
    try await Self.play(seed: seed, rounds: 12)
  }

  /// Plays stores that exchange with one space over a network that fails.
  static func play(seed: UInt64, rounds: Int) async throws {
    let scratch = try Scratch()
    let random = Mutex(SplitMix64(seed: seed))
    @Sendable func number(_ range: Range<Int>) -> Int {
      random.withLock { .random(in: range, using: &$0) }
    }
    var limits = SyncLimits()
    limits.part = 2_000
    limits.whole = 4_000
    limits.append = 1_000
    limits.headCount = 2
    let small = limits
    let path = scratch.path("space.varve")
    let space = Mutex(try await Store.open(path))
    let isFaulty = Mutex(true)
    let stores = [try await Store.open(.inMemory), try await Store.open(.inMemory)]
    let log: @Sendable () -> SpaceResponder = {
      // A store that is open has a log.
      guard let log = try? space.withLock({ $0 }).sharedLog() else { preconditionFailure() }
      return SpaceResponder(log, limits: small)
    }
    let transports = stores.indices.map { index in
      FaultyTransport(
        seed: seed &+ UInt64(index),
        log,
        fault: {
          guard isFaulty.withLock({ $0 }), number(0..<3) == 0 else { return .none }
          return FaultyTransport.Fault.allCases[number(0..<FaultyTransport.Fault.allCases.count)]
        },
        between: {
          // Others write while two synchronise.
          guard isFaulty.withLock({ $0 }), number(0..<4) == 0 else { return }
          _ = try await space.withLock { $0 }.create("T", ["n": .int(Int64(number(0..<9)))])
        }
      )
    }
    var meetings: [SpaceMeeting?] = stores.map { _ in nil }
    for round in 0..<rounds + 6 {
      if round == rounds { isFaulty.withLock { $0 = false } }
      if round < rounds, number(0..<5) == 0 {
        // The process ends and another takes its place.
        try await space.withLock { $0 }.close()
        let reopened = try await Store.open(path)
        space.withLock { $0 = reopened }
      }
      for (index, store) in stores.enumerated() {
        for _ in 0..<(round < rounds ? number(0..<4) : 0) {
          let size = number(0..<10) == 0 ? 20_000 : 10
          let bytes = Data((0..<size).map { _ in UInt8(number(0..<256)) })
          _ = try await store.create("T", ["b": .data(bytes)])
        }
        let log = try store.sharedLog()
        var exchange = SpaceExchange(log, transports[index], at: "s", limits: small)
        do {
          let outcome = try await exchange.run(after: meetings[index])
          meetings[index] = outcome.meeting
          _ = outcome.report
        } catch is FaultyTransport.Lost {
        } catch let error as VarveError where [.damaged, .inputOutput].contains(error.code) {
        }
      }
    }
    let final = try await space.withLock { $0 }.frontier()
    for store in stores { #expect(try await store.frontier() == final, "seed \(seed)") }
    let held = try space.withLock { $0 }.sharedLog()
    for transport in transports {
      let acknowledged = transport.acknowledged.withLock { $0 }
      #expect(try await held.held(among: Array(acknowledged)) == acknowledged, "seed \(seed)")
    }
    #expect(try await space.withLock { $0 }.check().isClean)
    #expect(try await stores[0].check().isClean)
  }
}

@Suite(.enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1"))
struct ExchangeSoakTests {
  @Test func `many networks fail in many ways`() async throws {
    for seed in 100..<400 { try await ExchangeTests.play(seed: UInt64(seed), rounds: 20) }
  }
}
#endif
