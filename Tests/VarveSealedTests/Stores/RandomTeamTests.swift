import Foundation
import Testing
import VarveCore
import VarveSealed
import VarveStore
import VarveSync
import VarveTestSupport

@Suite("Random histories of a sealed space")
struct RandomTeamTests {
  @Test(
    arguments: Seeds.first(3, of: 0..<100),
    TeamTrial.Way.allCases
  )
  func `end equal for all members, whatever the order of arrival`(
    seed: UInt64,
    way: TeamTrial.Way
  ) async throws {
    var trial = try await TeamTrial(seed, way)
    for _ in 0..<40 { try await trial.step() }
    try await trial.heal()
    try await trial.verify()
  }
}

/// Members who write, synchronise with a relay or with each other, join and are removed.
struct TeamTrial {
  /// How members meet besides directly.
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    /// Through a relay in this process.
    case relay
    /// Through a relay that is asked by requests, some of which are lost.
    case requests
    /// Through a folder.
    case folder

    var testDescription: String { rawValue }
  }

  private var random: SplitMix64
  private let clock = TestClock()
  private let relay: Store
  private var members: [TeamStore]
  private var removed: [TeamStore] = []
  private var count = 0
  /// The values that were purged.
  private var destroyed: [EntityID: Set<Value>] = [:]
  private let way: Way
  private let scratch: Scratch

  init(_ seed: UInt64, _ way: Way) async throws {
    random = SplitMix64(seed: seed)
    self.way = way
    scratch = try Scratch()
    relay = try await TeamStore.relay()
    members = [try await TeamStore.sealed(clock: clock)]
    try await handOver(members[0].store)
    for _ in 0..<2 { try await add() }
  }

  /// Synchronises a store with the place where all meet; nothing is lost.
  private func handOver(_ store: Store) async throws {
    if way == .folder {
      try await store.sync(folder: scratch.path("shared"))
    } else {
      try await store.sync(with: relay)
    }
  }

  mutating func step() async throws {
    clock.advance(by: Int64.random(in: 1...5_000, using: &random))
    switch Int.random(in: 0..<23, using: &random) {
    case 0..<9: try await write()
    case 9..<13:
      let losses = (Int.random(in: 0..<12, using: &random), Int.random(in: 0..<12, using: &random))
      try await meetRelay(pick(), losses)
    case 13..<16: try await meet(pick(), pick())
    case 16 where members.count < 5: try await add()
    case 17 where members.count > 2: try await remove()
    case 18: try await members[0].store.rotateEpoch()
    case 19, 20: try await purge()
    case 21: try await compact()
    default: try await removedWrites()
    }
  }

  private mutating func pick() -> TeamStore {
    members[Int.random(in: members.indices, using: &random)]
  }

  private mutating func write() async throws {
    let store = pick().store
    count += 1
    let hat = try EntityID("hat \(Int.random(in: 0..<8, using: &random))")
    do {
      if try await store.entity(hat) == nil {
        try await store.create("Hat", id: hat, ["n": .int(Int64(count))])
      } else if Int.random(in: 0..<6, using: &random) == 0 {
        try await store.erase(hat)
      } else {
        try await store.set(hat, "n", .int(Int64(count)))
      }
    } catch let error as VarveError where error.code == .readOnly {
      // No epoch is in force until an admin begins one.
    }
  }

  /// Synchronises a member with the relay. The requests and replies with the given numbers are lost.
  private func meetRelay(_ member: TeamStore, _ losses: (Int, Int)? = nil) async throws {
    guard way == .requests else { return try await handOver(member.store) }
    let (requests, replies) = (Countdown(losses?.0), Countdown(losses?.1))
    let asked = RequestedRelay(
      try relay.sharedLog(),
      losesRequest: { requests.ends() },
      losesReply: { replies.ends() }
    )
    do {
      try await member.store.sync(asking: asked)
    } catch is RequestedRelay.Lost {}
  }

  private func meet(_ one: TeamStore, _ two: TeamStore) async throws {
    guard one.store !== two.store else { return }
    try await one.store.sync(with: two.store)
  }

  /// The admin purges a hat.
  private mutating func purge() async throws {
    let store = members[0].store
    let hat = try EntityID("hat \(Int.random(in: 0..<8, using: &random))")
    do {
      let former = try await store.history(of: hat).compactMap(\.value)
      try await store.purge([hat])
      destroyed[hat, default: []].formUnion(former)
    } catch let error as VarveError where [.notFound, .readOnly].contains(error.code) {
      // It was never here, or no epoch is in force.
    }
  }

  /// The admin folds what is older than a minute, or than anything.
  private mutating func compact() async throws {
    let store = members[0].store
    let before = try await describedHats(store)
    let kept = Duration.milliseconds(Int64.random(in: 0..<2, using: &random) * 60_000 + 1)
    do {
      try await store.compact(keeping: kept)
    } catch let error as VarveError where error.code == .readOnly {
      // No epoch is in force.
    }
    #expect(try await describedHats(store) == before)
  }

  private mutating func add() async throws {
    let (ana, new) = (members[0], try await TeamStore.device(clock: clock))
    try await handOver(ana.store)
    try await new.store.join(try await ana.store.invite(.writer))
    for member in [new, ana, new] { try await handOver(member.store) }
    members.append(new)
  }

  private mutating func remove() async throws {
    let place = Int.random(in: 1..<members.count, using: &random)
    let member = members.remove(at: place)
    try await members[0].store.removeMember(member.id)
    removed.append(member)
  }

  /// A removed member, which may not know it yet, writes and hands over.
  private mutating func removedWrites() async throws {
    guard let eve = removed.last else { return }
    count += 1
    _ = try? await eve.store.create("Hat", id: EntityID("eve \(count)"), ["n": .int(Int64(count))])
    if Int.random(in: 0..<2, using: &random) == 0 {
      try await handOver(eve.store)
    } else {
      try await eve.store.sync(with: pick().store)
    }
  }

  mutating func heal() async throws {
    // Through a folder, the home answers one member a time.
    for _ in 0..<(way == .folder ? 2 * members.count + 2 : 3) {
      for member in members { try await meetRelay(member) }
    }
  }

  func verify() async throws {
    let expected = try await describedHats(members[0].store)
    let uncounted = try await members[0].store.uncountedCommits()
    for member in members {
      #expect(try await member.store.frontier() == members[0].store.frontier())
      #expect(try await describedHats(member.store) == expected)
      #expect(try await member.store.uncountedCommits() == uncounted)
      #expect(try await member.store.check().findings == [])
      try await verifyPurges(member.store)
      try await member.store.rebuild()
      #expect(try await describedHats(member.store) == expected)
    }
    guard way != .folder else { return }
    #expect(try await relay.frontier() == members[0].store.frontier())
    #expect(try await relay.check().findings == [])
    #expect(try await relay.fetch(Query("Hat")).isEmpty)
    // What the relay keeps of purged blocks is what the members read.
    #expect(try await blocks(of: relay) == blocks(of: members[0].store))
  }

  private func verifyPurges(_ store: Store) async throws {
    for (hat, values) in destroyed {
      let left = try await store.history(of: hat).compactMap(\.value)
      #expect(values.isDisjoint(with: left), "\(hat)")
    }
    #expect(try await store.membership().pendingChangeCount == 0)
  }

  private func blocks(of store: Store) async throws -> [CommitID: [[UInt8]]] {
    try await store.commits().reduce(into: [:]) { $0[$1.id] = $1.blocks.map(\.stored) }
  }
}
