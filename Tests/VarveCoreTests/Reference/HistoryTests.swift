import Testing
import VarveCore
import VarveTestSupport

@Suite("Random histories on reference backends")
struct HistoryTests {
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `leave all replicas equal once each has everything`(seed: UInt64) async throws {
    let fleet = Fleet.reference(count: 3, seed: seed)
    var generator = HistoryGenerator(seed: seed)
    try await fleet.run(generator.steps(60))
    try await fleet.mergeAll()
    let exports = try await exports(fleet, generator.ids)
    #expect(exports[0].firstDifference(from: exports[1]) == nil)
    #expect(exports[0].firstDifference(from: exports[2]) == nil)
    #expect(exports[0].lines.count > 10)
  }

  @Test(arguments: [21, 22, 23])
  func `do so if clocks are wrong, once withheld commits are due`(seed: UInt64) async throws {
    let fleet = Fleet.reference(count: 3, seed: seed, skews: [-120_000, 0, 1_200_000])
    var generator = HistoryGenerator(seed: seed)
    try await fleet.run(generator.steps(60))
    try await fleet.mergeAll()
    fleet.clock.advance(by: 3_600_000)
    let exports = try await exports(fleet, generator.ids)
    #expect(exports[0].firstDifference(from: exports[1]) == nil)
    #expect(exports[0].firstDifference(from: exports[2]) == nil)
  }

  @Test(arguments: 100..<116 as Range<UInt64>)
  func `random histories on reference backends agree when they are played twice`(seed: UInt64)
    async throws
  {
    let (one, two) = (Fleet.reference(count: 3, seed: seed), Fleet.reference(count: 3, seed: seed))
    var generator = HistoryGenerator(seed: seed)
    for step in generator.steps(50) {
      try await one.run(step)
      try await two.run(step)
    }
    let (first, second) = (
      try await exports(one, generator.ids), try await exports(two, generator.ids)
    )
    for (one, two) in zip(first, second) { #expect(one.firstDifference(from: two) == nil) }
  }

  @Test func `random histories on reference backends are the same from any causal order`()
    async throws
  {
    let fleet = Fleet.reference(count: 4, seed: 7)
    var generator = HistoryGenerator(seed: 7, replicaCount: 4)
    try await fleet.run(generator.steps(60))
    try await fleet.mergeAll()
    let commits = try await fleet.backends[0].commits(beyond: .empty, atMost: .max)
    let expected = try await CanonicalExport(of: fleet.backends[0], ids: generator.ids)
    var random = SplitMix64(seed: 7)
    for _ in 0..<5 {
      let backend = ReferenceBackend(wallMilliseconds: fleet.clock.reading())
      var waiting = commits.shuffled(using: &random)
      while !waiting.isEmpty {
        let commit = waiting.removeFirst()
        do {
          _ = try await backend.append([commit])
        } catch let error as VarveError where error.code == .missingDependencies {
          waiting.append(commit)
        }
      }
      let export = try await CanonicalExport(of: backend, ids: generator.ids)
      #expect(expected.firstDifference(from: export) == nil)
    }
  }

  @Test func `random histories on reference backends never change the state of a frontier`()
    async throws
  {
    let fleet = Fleet.reference(count: 3, seed: 11)
    var generator = HistoryGenerator(seed: 11)
    var promises: [(frontier: Frontier, export: CanonicalExport)] = []
    for step in generator.steps(60) {
      try await fleet.run(step)
      guard promises.count < 12, case .merge(_, let into, _) = step else { continue }
      let frontier = try await fleet.backends[into].frontier()
      let export = try await CanonicalExport(of: fleet.backends[into], ids: generator.ids)
      promises.append((frontier, export))
    }
    try await fleet.mergeAll()
    for (frontier, export) in promises {
      let now = try await CanonicalExport(
        of: fleet.backends[0],
        at: .frontier(frontier),
        ids: generator.ids
      )
      #expect(export.firstDifference(from: now) == nil)
    }
  }

  @Test func `reach every status, and edges of former lives`() async throws {
    var seen: Set<String> = []
    for seed in 0..<8 as Range<UInt64> {
      let fleet = Fleet.reference(count: 3, seed: seed)
      var generator = HistoryGenerator(seed: seed)
      try await fleet.run(generator.steps(60))
      try await fleet.mergeAll()
      let words = try await CanonicalExport(of: fleet.backends[0], ids: generator.ids)
        .description.split { !$0.isLetter }
      seen.formUnion(words.map(String.init))
    }
    let wanted = [
      "live", "dead", "erased", "unknown", "former", "recreated", "restored", "created", "removed",
      "collection", "owns", "free", "member",
    ]
    for word in wanted { #expect(seen.contains(word), "\(word)") }
  }

  private func exports(_ fleet: Fleet, _ ids: [EntityID]) async throws -> [CanonicalExport] {
    var exports: [CanonicalExport] = []
    for backend in fleet.backends {
      exports.append(try await CanonicalExport(of: backend, ids: ids))
    }
    return exports
  }
}
