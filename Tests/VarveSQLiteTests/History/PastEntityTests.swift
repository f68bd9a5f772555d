import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Single entities of a past state", .serialized)
struct PastEntityTests {
  @Test(
    "are those of the fold, before and after a whole type is read",
    arguments: Seeds.first(10, of: 0..<300)
  )
  func random(seed: UInt64) async throws {
    let history = try await PastHistory(seed: seed)
    var random = SplitMix64(seed: seed)
    for moment in try await history.moments(8, using: &random) {
      let difference = try await history.difference(at: moment, inFull: random.chance(30))
      #expect(difference == nil, "seed \(seed) at \(moment): \(difference ?? "")")
    }
    try await history.close()
  }

  @Test("die with an owner, and live again, as of then", arguments: [false, true])
  func owners(readsTypeFirst: Bool) async throws {
    let clock = TestClock()
    let backend = try await openBackend(clock: clock)
    try await backend.create("shop", "Shop")
    try await backend.create("hat", "Hat", ["size": 7])
    let owned = Relation(.owns, "")
    try await backend.write([.relate("shop", owned, "hat", nil)])
    clock.advance(by: 10)
    let live = clock.now
    clock.advance(by: 10)
    try await backend.write([.erase("shop")])
    let dead = clock.now
    clock.advance(by: 10)
    try await backend.write([.restore("shop")])
    try await backend.set("hat", "size", 9)
    for (time, size) in [(live, Value.int(7)), (dead, nil), (clock.now, .int(9))] {
      let moment = Moment.time(HybridTime(millisecondsSince1970: time).endOfMillisecond)
      let found = try await backend.read(at: moment) { reader in
        if readsTypeFirst { _ = try await reader.fetch(Query("Hat")) }
        return try await reader.entity("hat")?["size"]
      }
      #expect(found == size)
    }
    try await backend.close()
  }
}

/// A random history of replicas that merge, in one of their stores and in the reference backend.
struct PastHistory {
  let backend: any Backend
  let reference: ReferenceBackend
  let ids: [EntityID]
  private let fleet: Fleet

  init(seed: UInt64, stepCount: Int = 60) async throws {
    let clock = TestClock()
    var backends: [any Backend] = []
    for replica in Fleet.replicas(count: 2, seed: seed) {
      backends.append(try await openBackend(clock: clock, replica: replica, touchCapacity: 20))
    }
    fleet = Fleet(backends, clock: clock)
    var generator = HistoryGenerator(seed: seed, replicaCount: 2)
    try await fleet.run(generator.steps(stepCount))
    if seed % 2 == 0 { try await fleet.mergeAll() }
    ids = generator.ids + ["never heard of"]
    backend = backends[0]
    reference = ReferenceBackend(wallMilliseconds: clock.reading())
    try await reference.catchUp(with: backend)
  }

  /// Returns random times and random sets of heads.
  func moments(_ count: Int, using random: inout SplitMix64) async throws -> [Moment] {
    let log = try await backend.read(at: .now) { try await $0.log(limit: nil, offset: 0) }
    guard !log.isEmpty else { return [] }
    var moments: [Moment] = []
    for _ in 0..<count {
      let commit = random.pick(log)
      guard random.chance(40) else {
        moments.append(.time(random.chance(50) ? commit.time : commit.time.endOfMillisecond))
        continue
      }
      moments.append(
        .frontier(try await backend.read(at: .now) { try await $0.frontier(of: commit.id) })
      )
    }
    return moments
  }

  /// Returns the first difference of a past state from the fold's, or nil.
  ///
  /// - Parameter inFull: whether whole types are read first.
  func difference(at moment: Moment, inFull: Bool) async throws -> String? {
    if inFull {
      let (one, two) = (
        try await CanonicalExport(of: reference, at: moment, ids: ids),
        try await CanonicalExport(of: backend, at: moment, ids: ids)
      )
      if let difference = one.firstDifference(from: two) { return difference }
    }
    let (one, two) = (
      try await reference.read(at: moment) { try await CanonicalExport($0, only: ids) },
      try await backend.read(at: moment) { try await CanonicalExport($0, only: ids) }
    )
    return one.firstDifference(from: two)
  }

  func close() async throws {
    for backend in fleet.backends { try await backend.close() }
  }
}
