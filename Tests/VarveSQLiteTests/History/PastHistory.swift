import VarveCore
import VarveSQLite
import VarveTestSupport

/// A random history of replicas that merge, in one of their stores and in the reference backend.
final class PastHistory {
  enum Kind: CaseIterable { case times, frontiers }

  let backend: any Backend
  let reference: ReferenceBackend
  let ids: [EntityID]
  private let fleet: Fleet
  private var generator: HistoryGenerator

  init(seed: UInt64, stepCount: Int = 60, forgetting: Forgetting = []) async throws {
    let clock = TestClock()
    var backends: [any Backend] = []
    for replica in Fleet.replicas(count: 2, seed: seed) {
      backends.append(try await openBackend(clock: clock, replica: replica, touchCapacity: 20))
    }
    fleet = Fleet(backends, clock: clock)
    generator = HistoryGenerator(
      seed: seed,
      replicaCount: 2,
      forgetting: forgetting,
      refersInPairs: seed % 3 == 0
    )
    ids = generator.ids + ["never heard of"]
    backend = backends[0]
    reference = ReferenceBackend(wallMilliseconds: clock.reading())
    try await play(stepCount)
    if seed % 2 == 0 { try await fleet.mergeAll() }
    try await reference.catchUp(with: backend)
  }

  /// Plays on.
  func play(_ stepCount: Int) async throws {
    try await fleet.run(generator.steps(stepCount))
    try await reference.catchUp(with: backend)
  }

  /// Returns random times and random sets of heads.
  func moments(
    _ count: Int,
    of kinds: [Kind] = Kind.allCases,
    using random: inout SplitMix64
  ) async throws -> [Moment] {
    let log = try await backend.read(at: .now) { try await $0.log(limit: nil, offset: 0) }
    guard !log.isEmpty else { return [] }
    var moments: [Moment] = []
    for _ in 0..<count {
      let commit = random.pick(log)
      switch random.pick(kinds) {
      case .times:
        moments.append(.time(random.chance(50) ? commit.time : commit.time.endOfMillisecond))
      case .frontiers:
        moments.append(
          .frontier(try await backend.read(at: .now) { try await $0.frontier(of: commit.id) })
        )
      }
    }
    return moments
  }

  /// Returns the first difference of a past state from the fold's, or nil.
  ///
  /// - Parameter inFull: whether whole types are read first.
  func difference(at moment: Moment, inFull: Bool) async throws -> String? {
    guard try await canBeRead(moment) else { return nil }
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

  /// Returns the difference of a random page of each type, or nil.
  func pageDifference(
    at moment: Moment,
    using random: inout SplitMix64
  ) async throws -> String? {
    guard try await canBeRead(moment) else { return nil }
    for type in try await backend.read(at: .now, { try await $0.labels() }) {
      let query = Query(type).limit(Int(random.next() % 5) + 1).offset(Int(random.next() % 4))
      let one = try await reference.read(at: moment) { try await $0.fetch(query).map(text) }
      let two = try await backend.read(at: moment) { try await $0.fetch(query).map(text) }
      if one != two { return "\(query)\n1: \(one)\n2: \(two)" }
    }
    return nil
  }

  private func text(_ entity: StoredEntity) -> String {
    let values = entity.keys.map { "\($0.text)=\(entity[$0].map { "\($0)" } ?? "")" }
    return "\(entity.id) \(entity.datestamp) \(entity.modified) \(values)"
  }

  /// Returns whether a moment can be read, which both backends must agree on.
  func canBeRead(_ moment: Moment) async throws -> Bool {
    let codes = (
      await failure { try await reference.read(at: moment) { try await $0.pin() } }?.code,
      await failure { try await backend.read(at: moment) { try await $0.pin() } }?.code
    )
    guard codes.0 == codes.1 else {
      throw VarveError(.damaged, "\(codes) at \(moment)", at: "a past state")
    }
    return codes.0 == nil
  }

  func close() async throws {
    for backend in fleet.backends { try await backend.close() }
  }
}
