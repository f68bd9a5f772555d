import Testing
import VarveCore
import VarveSQLite
import VarveSync
import VarveTestSupport

@Suite("Version vectors")
struct VectorTests {
  private let clock = TestClock()

  private func backend(_ isSQLite: Bool) async throws -> any Backend {
    guard isSQLite else { return ReferenceBackend(wallMilliseconds: clock.reading()) }
    var configuration = SQLiteBackend.Configuration()
    configuration.wallMilliseconds = clock.reading()
    return try await SQLiteBackend.open(.inMemory, configuration: configuration)
  }

  /// A log in which clients wrote one after another, each having seen all before.
  private func relay(_ isSQLite: Bool, clients: Int) async throws -> any Backend {
    let all = try await backend(isSQLite)
    for client in 0..<clients {
      clock.advance(by: 5)
      let one = ReferenceBackend(wallMilliseconds: clock.reading())
      try await one.catchUp(with: all)
      try await one.create(EntityID("\(client)"))
      try await all.catchUp(with: one)
    }
    return all
  }

  @Test(arguments: [false, true]
  )
  func `name the commits no other head had seen, however many clients there were`(isSQLite: Bool)
    async throws
  {
    let all = try await relay(isSQLite, clients: 40)
    let heads = try await all.frontier().heads
    #expect(heads.count == 40)
    let summits = try await all.summits()
    #expect(summits.count == 1)
    #expect(try await all.seen(by: summits).heads == heads)
    #expect(try await all.seen(by: []).heads == [])
    let stranger = CommitID(replica: .random(), sequence: 1, hash: .zero)
    #expect(try await all.seen(by: [stranger]).heads == [])
  }

  @Test(arguments: [false, true])
  func `version vectors stay short if both sides wrote, and nothing is sent twice`(isSQLite: Bool)
    async throws
  {
    let all = try await relay(isSQLite, clients: 40)
    let (left, right) = (try await backend(isSQLite), try await backend(!isSQLite))
    for (number, side) in [left, right].enumerated() {
      try await side.catchUp(with: all)
      try await side.create(EntityID("first \(number)"))
    }
    _ = try await synchronize(left, right)
    for (number, side) in [left, right].enumerated() {
      clock.advance(by: 5)
      for turn in 0..<3 { try await side.create(EntityID("then \(number) \(turn)")) }
    }
    let counting = NamedIDs()
    let (here, there) = InProcessChannel.pair()
    async let theirs = Peer(right, there).run()
    let ours = try await Peer(left, CountingChannel(here, counting)).run()
    let reports = (ours, try await theirs)
    #expect(reports.0.sentCount == 3 && reports.1.sentCount == 3)
    // One summit, a few questions, and the heads that no summit covers: never all forty.
    #expect(await counting.headCount <= 6)
    try await expectEqual(left, right)
  }

  @Test(
    arguments: Seeds.first(30, of: 0..<80)
  )
  func `version vectors omit nothing and send nothing twice, in any history`(seed: UInt64)
    async throws
  {
    var random = SplitMix64(seed: seed)
    var stores: [any Backend] = []
    for number in 0..<4 { stores.append(try await backend(number % 2 == 1)) }
    var forked: [ReferenceBackend] = []
    for step in 0..<Int.random(in: 10...60, using: &random) {
      clock.advance(by: Int64.random(in: 0...3, using: &random))
      let store = random.pick(stores)
      switch Int.random(in: 0..<20, using: &random) {
      case ..<11: try await store.create(EntityID("\(step)"))
      case ..<17: try await store.catchUp(with: random.pick(stores))
      case ..<18:
        // Receives only a part of another store's commits.
        let other = random.pick(stores)
        let common = try await other.common(with: store)
        _ = try await store.append(try await other.commits(beyond: common, atMost: 400))
      case ..<19:
        guard let reference = store as? ReferenceBackend, forked.count < 3 else { continue }
        let copy = try reference.copy()
        forked.append(copy)
        stores.append(copy)
      default:
        // A client that synchronises only once.
        let client = ReferenceBackend(wallMilliseconds: clock.reading())
        try await client.catchUp(with: store)
        try await client.create(EntityID("client \(step)"))
        try await store.catchUp(with: client)
      }
    }
    for _ in 0..<3 {
      let (left, right) = (random.pick(stores), random.pick(stores))
      guard try await left.frontier() != right.frontier() else { continue }
      let toSend = (
        try await left.commitCount(beyond: left.common(with: right)),
        try await right.commitCount(beyond: right.common(with: left))
      )
      var limits = SyncLimits()
      limits.headCount = 2
      let reports = try await synchronize(left, right, limits: limits)
      #expect(reports.left.sentCount == toSend.0, "seed \(seed)")
      #expect(reports.right.sentCount == toSend.1, "seed \(seed)")
      try await expectEqual(left, right)
    }
  }
}

/// The number of commits that a side named in greetings and questions.
private actor NamedIDs {
  private(set) var headCount = 0

  func add(_ frame: [UInt8]) throws {
    switch try Message(Frame(encoded: frame)) {
    case .heads(let ids), .rest(let ids, _): headCount += ids.count
    default: break
    }
  }
}

/// A channel that counts what is named on it.
private struct CountingChannel: FrameChannel {
  private let channel: any FrameChannel
  private let counting: NamedIDs

  init(_ channel: any FrameChannel, _ counting: NamedIDs) {
    self.channel = channel
    self.counting = counting
  }

  func send(_ frame: [UInt8]) async throws {
    try await counting.add(frame)
    try await channel.send(frame)
  }

  func receive() async throws -> [UInt8]? { try await channel.receive() }

  func close() async { await channel.close() }
}
