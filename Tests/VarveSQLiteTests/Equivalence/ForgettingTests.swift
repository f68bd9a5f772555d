import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("The SQLite backend against the reference backend, while entities are purged", .serialized)
struct ForgettingTests {
  @Test(
    arguments: Seeds.first(5, of: 5_000..<5_060)
  )
  func `has the same state while both play a history`(seed: UInt64) async throws {
    let trial = BackendTrial(seed: seed, forgetting: .purges, make: memoryBackend)
    let difference = try await trial.lockstep()
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test(arguments: Seeds.first(5, of: 6_000..<6_060))
  func `has the same state after the same commits`(seed: UInt64) async throws {
    let trial = BackendTrial(seed: seed, forgetting: .purges, make: memoryBackend)
    let difference = try await trial.append()
    #expect(difference == nil, "\(difference ?? "")")
  }
}

@Suite("The SQLite backend against the reference backend, while history is folded", .serialized)
struct FoldingTests {
  @Test(
    arguments: Seeds.first(5, of: 7_000..<7_050)
  )
  func `has the same state while both play a history`(seed: UInt64) async throws {
    let trial = BackendTrial(seed: seed, forgetting: [.compacts, .purges], make: memoryBackend)
    let difference = try await trial.lockstep()
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test(arguments: Seeds.first(5, of: 8_000..<8_050))
  func `has the same state after the same commits`(seed: UInt64) async throws {
    let trial = BackendTrial(seed: seed, forgetting: .compacts, make: memoryBackend)
    let difference = try await trial.append()
    #expect(difference == nil, "\(difference ?? "")")
  }

  /// An archive receives every commit before it is forgotten, and forgets nothing, so it has the
  /// expected states.
  @Test(arguments: Seeds.first(15, of: 9_000..<9_150))
  func `changes no state from the horizon on`(seed: UInt64) async throws {
    let trial = ArchiveTrial(seed: seed, isInSQLite: seed % 5 == 0)
    let difference = try await trial.run()
    #expect(difference == nil, "seed \(seed): \(difference ?? "")")
  }
}

@Suite("Trials of folding")
struct FoldingTrialTests {
  @Test func `trials of folding fold something, and keep less than there was`() async throws {
    var (kept, whole) = (0, 0)
    for seed in 9_000..<9_010 as Range<UInt64> {
      let counts = try await ArchiveTrial(seed: seed, isInSQLite: false).versionCounts()
      kept += counts.kept
      whole += counts.whole
    }
    #expect(whole - kept > 10, "\(kept) of \(whole)")
  }
}

/// Plays a history in which replicas fold now and then, and compares all of them with an archive.
private struct ArchiveTrial {
  let seed: UInt64
  let isInSQLite: Bool

  /// The numbers of values in a store that folds history, and in the archive.
  func versionCounts() async throws -> (kept: Int, whole: Int) {
    let (backends, archive, _) = try await play()
    return (try await valueCount(backends[0]), try await valueCount(archive))
  }

  private func valueCount(_ backend: any Backend) async throws -> Int {
    try await backend.commits(beyond: .empty, atMost: .max).reduce(0) { count, commit in
      count + (try commit.cells().count { $0.content.value != nil })
    }
  }

  func run() async throws -> String? {
    let (backends, archive, frontiers) = try await play()
    for backend in backends {
      if try await !backend.check({ _ in }).isClean { return "the check" }
      for moment in try await moments(frontiers, archive) {
        if let difference = try await difference(archive, backend, moment) { return difference }
      }
    }
    return nil
  }

  private func play() async throws -> ([any Backend], ReferenceBackend, [Frontier]) {
    let clock = TestClock()
    var backends: [any Backend] = []
    for replica in Fleet.replicas(count: 3, seed: seed) {
      backends.append(
        isInSQLite
          ? try await memoryBackend(replica, clock)
          : ReferenceBackend(replica: replica, wallMilliseconds: clock.reading())
      )
    }
    let fleet = Fleet(backends, clock: clock)
    let archive = ReferenceBackend(wallMilliseconds: clock.reading(), forgetting: { _ in false })
    var generator = HistoryGenerator(seed: seed, forgetting: .compacts)
    var frontiers: [Frontier] = []
    for (number, step) in generator.steps(90).enumerated() {
      // The third replica is away for long.
      if case .merge(let from, let into, _) = step, number < 60, from == 2 || into == 2 { continue }
      try await fleet.run(step)
      guard let replica = step.replica else { continue }
      try await archive.catchUp(with: backends[replica])
      if number % 5 == 0 { frontiers.append(try await backends[replica].frontier()) }
    }
    try await fleet.mergeAll()
    return (backends, archive, frontiers)
  }

  private func moments(_ frontiers: [Frontier], _ archive: any Backend) async throws -> [Moment] {
    let log = try await archive.read(at: .now) { try await $0.log(limit: nil, offset: 0) }
    return [.now] + frontiers.map { .frontier($0) }
      + log.enumerated().filter { $0.offset % 7 == 0 }.map { .time($0.element.time) }
  }

  private func difference(
    _ archive: any Backend,
    _ backend: any Backend,
    _ moment: Moment
  ) async throws -> String? {
    do {
      let (one, two) = (try await told(archive, moment), try await told(backend, moment))
      if let difference = one.0.firstDifference(from: two.0) { return "\(moment):\n\(difference)" }
      return one.1 == two.1 ? nil : "\(moment):\n1: \(one.1)\n2: \(two.1)"
    } catch let error as VarveError where error.code == .compacted {
      return moment == .now ? "the present is refused" : nil
    }
  }

  /// The live entities with all they have, and what is in conflict; histories are shorter.
  private func told(
    _ backend: any Backend,
    _ moment: Moment
  ) async throws -> (CanonicalExport, [String]) {
    try await backend.read(at: moment) { reader in
      let conflicts = try await reader.valueConflicts().map { conflict in
        "\(conflict.entity) \(conflict.key?.text ?? "") \(conflict.versions.map(\.content))"
      }
      let deaths = try await reader.unseenDeaths().map { "\($0.entity)" }
      return (try await CanonicalExport(reader), conflicts + deaths)
    }
  }
}
