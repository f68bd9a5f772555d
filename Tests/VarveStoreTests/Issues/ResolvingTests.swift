import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Settling concurrent changes")
struct ResolvingTests {
  private let clock = TestClock()

  private func pair(_ engine: Engine) async throws -> (Store, Store) {
    let one = try await makeStore(engine, clock: clock)
    let two = try await makeStore(engine, clock: clock)
    try await one.createNodes("shop", "hat", "other")
    try await one.own(("shop", "hat"))
    try await one.set("hat", "color", "white")
    try await sync(one, two)
    return (one, two)
  }

  private func sync(_ one: Store, _ two: Store) async throws {
    clock.advance(by: 5)
    try await two.merge(from: one)
    try await one.merge(from: two)
    clock.advance(by: 5)
  }

  /// Settles the only conflict there is, and expects none anywhere after both are equal.
  private func settle(
    _ one: Store,
    _ two: Store,
    by resolution: ConflictResolution
  ) async throws {
    let conflicts = try await two.conflicts()
    #expect(conflicts.count == 1)
    #expect(try await one.conflicts() == conflicts)
    #expect(try await two.resolve(try #require(conflicts.first), by: resolution))
    #expect(try await two.conflicts() == [])
    try await sync(one, two)
    #expect(try await one.conflicts() == [])
    #expect(try await two.conflicts() == [])
    #expect(try await one.check().findings == [])
  }

  @Test(arguments: Engine.allCases, [0, 1])
  func `settling concurrent changes of concurrent values by one of them`(engine: Engine, index: Int)
    async throws
  {
    let (one, two) = try await pair(engine)
    try await one.set("hat", "color", "red")
    clock.advance(by: 5)
    try await two.set("hat", "color", "blue")
    try await sync(one, two)
    try await settle(one, two, by: .version(index))
    #expect(try await one.require("hat")["color"] == (index == 0 ? "blue" : "red"))
  }

  @Test(arguments: Engine.allCases, [0, 1])
  func `settling concurrent changes of a value and a removal by either`(engine: Engine, index: Int)
    async throws
  {
    let (one, two) = try await pair(engine)
    try await one.set("hat", "color", "red")
    clock.advance(by: 5)
    try await two.write { try await $0.remove("hat", "color") }
    try await sync(one, two)
    try await settle(one, two, by: .version(index))
    #expect(try await one.require("hat")["color"] == (index == 0 ? nil : "red"))
  }

  @Test(arguments: Engine.allCases)
  func `settling concurrent changes of values by another value, or by a removal`(engine: Engine)
    async throws
  {
    for value in ["green", nil] as [Value?] {
      let (one, two) = try await pair(engine)
      try await one.set("hat", "color", "red")
      try await two.set("hat", "color", "blue")
      try await sync(one, two)
      try await settle(one, two, by: .value(value))
      #expect(try await one.require("hat")["color"] == value)
    }
  }

  @Test(arguments: Engine.allCases)
  func `settling concurrent changes of writes to an erased entity by its death`(engine: Engine)
    async throws
  {
    let (one, two) = try await pair(engine)
    try await one.erase("shop")
    try await two.set("hat", "color", "blue")
    try await sync(one, two)
    try await settle(one, two, by: .death)
    #expect(try await one.live("shop", "hat") == [])
    try await one.restore("shop")
    #expect(try await one.require("hat")["color"] == "blue")
  }

  @Test(arguments: Engine.allCases)
  func `settling concurrent changes of writes to an erased entity by restoring`(engine: Engine)
    async throws
  {
    for mode in [RestoreMode.withOwners, .asRoot] {
      let (one, two) = try await pair(engine)
      try await one.erase("shop")
      try await two.set("hat", "color", "blue")
      try await sync(one, two)
      let conflict = try #require(try await two.conflicts().first)
      let error = await failure { try await two.resolve(conflict, by: .restoring(.ifOwned)) }
      #expect(error?.code == .ownersDead)
      try await settle(one, two, by: .restoring(mode))
      #expect(try await one.live("shop", "hat") == (mode == .asRoot ? ["hat"] : ["shop", "hat"]))
    }
  }

  @Test(arguments: Engine.allCases)
  func `settling concurrent changes of one erased by name while it was written to`(engine: Engine)
    async throws
  {
    for resolution in [ConflictResolution.death, .restoring(.ifOwned)] {
      let (one, two) = try await pair(engine)
      try await one.erase("hat")
      try await two.set("hat", "color", "blue")
      try await sync(one, two)
      try await settle(one, two, by: resolution)
      #expect(try await one.live("hat") == (resolution == .death ? [] : ["hat"]))
    }
  }

  @Test(arguments: Engine.allCases)
  func `settling concurrent changes of a death by two concurrent erasures`(engine: Engine)
    async throws
  {
    for resolution in [ConflictResolution.death, .restoring(.withOwners), .restoring(.asRoot)] {
      let (one, two) = try await pair(engine)
      try await one.own(("other", "hat"))
      try await sync(one, two)
      try await one.erase("shop")
      try await two.erase("other")
      try await sync(one, two)
      try await settle(one, two, by: resolution)
      #expect(try await one.live("hat") == (resolution == .death ? [] : ["hat"]))
    }
  }

  @Test func `runs no hooks for entities that are dead already`() async throws {
    let (one, two) = try await pair(.memory)
    try await one.erase("shop")
    try await two.set("hat", "color", "blue")
    try await sync(one, two)
    let registration = two.willErase { entity, _ in
      throw VarveError(.invalidArgument, "a hook ran for \(entity.id)")
    }
    try await settle(one, two, by: .death)
    registration.cancel()
  }

  @Test(arguments: Engine.allCases)
  func `settling concurrent changes of cycles by a root, by an owner or by erasing them`(
    engine: Engine
  ) async throws {
    for way in 0..<3 {
      let one = try await makeStore(engine, clock: clock)
      let two = try await makeStore(engine, clock: clock)
      try await one.createNodes("a", "b", "owner")
      try await sync(one, two)
      try await one.own(("a", "b"))
      try await two.own(("b", "a"))
      try await sync(one, two)
      let cycle = try #require(try await one.ownerlessCycles().first)
      #expect(cycle.members == ["a", "b"])
      switch way {
      case 0: #expect(try await one.makeRoot("a") == 1)
      case 1: try await one.relate("owner", .owns, "b")
      default: try await one.erase(cycle.members)
      }
      try await sync(one, two)
      #expect(try await two.ownerlessCycles() == [])
      #expect(try await two.live("a", "b").count == (way == 2 ? 0 : 2))
    }
  }

  @Test func `settling concurrent changes refuses resolutions that do not fit`() async throws {
    let (one, two) = try await pair(.memory)
    try await one.set("hat", "color", "red")
    try await two.set("hat", "color", "blue")
    try await one.erase("other")
    try await two.set("other", "n", 1)
    try await sync(one, two)
    let conflicts = try await one.conflicts()
    #expect(conflicts.map(\.kind) == [.value, .death])
    for (conflict, resolution) in [
      (conflicts[0], ConflictResolution.death), (conflicts[0], .version(2)),
      (conflicts[0], .restoring(.ifOwned)), (conflicts[1], .version(0)), (conflicts[1], .value(1)),
    ] {
      let error = await failure { try await one.resolve(conflict, by: resolution) }
      #expect(error?.code == .invalidArgument)
    }
    #expect(try await one.conflicts() == conflicts)
  }

  @Test(arguments: Engine.allCases)
  func `settling concurrent changes of a death with an owner that was re-created since`(
    engine: Engine
  ) async throws {
    let (one, two) = try await pair(engine)
    try await one.erase("shop")
    try await one.create("node", id: "shop")
    try await two.set("hat", "color", "red")
    try await sync(one, two)
    #expect(try await one.conflicts().map(\.erased) == [["shop"]])
    try await settle(one, two, by: .death)
    #expect(try await two.live("shop", "hat") == ["shop"])
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func `whatever is listed and however it is settled`(part: UInt64) async throws {
    var settledCount = 0
    for seed in part * 10..<part * 10 + 10 {
      settledCount += try await settleAll(of: RandomCommits(seed: seed), seed: seed)
    }
    #expect(settledCount > 0, "histories without conflicts show little")
  }

  /// Settles what commits that follow no rule leave in conflict; returns how much that was.
  private func settleAll(of history: RandomCommits, seed: UInt64) async throws -> Int {
    let store = try await makeStore(.memory, clock: clock)
    let backend = ReferenceBackend(wallMilliseconds: clock.reading())
    _ = try await backend.append(history.commits)
    try await store.merge(from: Store(backend: backend))
    clock.advance(by: 60_000)
    var random = SplitMix64(seed: seed)
    var count = 0
    while let conflict = try await store.conflicts().first, count < 40 {
      count += 1
      var resolutions: [ConflictResolution] =
        conflict.kind == .death ? [.death, .death, .restoring(.asRoot)] : [.value(nil), .value(7)]
      for index in conflict.versions.indices where conflict.kind == .value {
        resolutions.append(.version(index))
      }
      let resolution = random.pick(resolutions)
      let date = Date(timeIntervalSince1970: Double(clock.now) / 1_000 - 90)
      let past = random.chance(20) && conflict.kind == .value ? date : nil
      let isSettled = try await store.write {
        try await $0.resolve(conflict, by: resolution, at: past)
      }
      // An owner that was erased and never created, which no local write leaves, keeps it dead.
      if !isSettled, resolution == .restoring(.asRoot) { break }
      #expect(isSettled, "seed \(seed): \(conflict) by \(resolution)")
      let isListed = try await store.conflicts().contains {
        $0.entity == conflict.entity && $0.key == conflict.key
      }
      #expect(!isListed, "seed \(seed): \(conflict) by \(resolution)")
      if isListed { break }
    }
    let findings = try await store.check().findings
    #expect(findings == [], "seed \(seed): \(findings)")
    try await store.close()
    return count
  }
}
