import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("SQLite has the state of the fold", .serialized)
struct EquivalenceTests {
  @Test(arguments: Seeds.first(30, of: 0..<300))
  func `now, in every replica, incrementally`(seed: UInt64) async throws {
    try await playAndCompare(seed: seed)
  }
}

/// Plays a history on SQLite stores in memory and compares them with the fold of their commits.
func playAndCompare(seed: UInt64, stepCount: Int = 60) async throws {
  let replicaCount = 2 + Int(seed % 3)
  let clock = TestClock()
  var backends: [any Backend] = []
  for replica in Fleet.replicas(count: replicaCount, seed: seed) {
    var configuration = SQLiteBackend.Configuration()
    configuration.checksInvariants = true
    configuration.wallMilliseconds = clock.reading()
    configuration.replica = replica
    configuration.touchCapacity = [3, 40, 16_384][Int(seed % 3)]
    backends.append(try await SQLiteBackend.open(.inMemory, configuration: configuration))
  }
  let fleet = Fleet(backends, clock: clock)
  var generator = HistoryGenerator(seed: seed, replicaCount: replicaCount)
  try await fleet.run(generator.steps(stepCount))
  if seed % 2 == 0 { try await fleet.mergeAll() }
  var random = SplitMix64(seed: seed)
  for backend in backends {
    let reference = ReferenceBackend(wallMilliseconds: clock.reading())
    try await reference.catchUp(with: backend)
    let frontiers = try await frontiers(of: backend)
    for moment in [.now] + moments(clock, frontiers, using: &random) {
      let expected = try await CanonicalExport(of: reference, at: moment, ids: generator.ids)
      let actual = try await CanonicalExport(of: backend, at: moment, ids: generator.ids)
      let difference = expected.firstDifference(from: actual)
      #expect(difference == nil, "seed \(seed) at \(moment): \(difference ?? "")")
      if difference != nil { return }
    }
    // Folding every view takes long: a part of the seeds will do.
    let conflicts = seed % 4 == 0 ? try await reference.conflicts() : nil
    if let conflicts { #expect(try await backend.conflicts() == conflicts, "seed \(seed)") }
    try await expectLimitsToCut(backend, generator.ids, "seed \(seed)")
    let report = try await backend.check { _ in }
    #expect(report.findings == [], "seed \(seed)")
    let before = try await CanonicalExport(of: backend, ids: generator.ids)
    try await backend.rebuild()
    let after = try await CanonicalExport(of: backend, ids: generator.ids)
    #expect(before.firstDifference(from: after) == nil, "seed \(seed) rebuilt")
    if let conflicts { #expect(try await backend.conflicts() == conflicts, "\(seed), rebuilt") }
    try await backend.close()
  }
}

/// A history with a limit is the beginning of the whole one, though it reads less.
private func expectLimitsToCut(
  _ backend: any Backend,
  _ ids: [EntityID],
  _ place: String
) async throws {
  try await backend.read(at: .now) { reader in
    for id in ids {
      let whole = try await reader.history(of: id, key: nil, limit: nil)
      for key in [nil] + Set(whole.compactMap(\.content.key)).map(Optional.some) {
        let all = try await reader.history(of: id, key: key, limit: nil)
        for limit in [0, 1, 3] {
          let some = try await reader.history(of: id, key: key, limit: limit)
          #expect(some == Array(all.prefix(limit)), "\(place), \(id) \(key?.text ?? "")")
        }
      }
    }
  }
}

/// Random dates around the clock's and random sets of heads.
private func moments(
  _ clock: TestClock,
  _ frontiers: [Frontier],
  using random: inout SplitMix64
) -> [Moment] {
  var moments: [Moment] = (0..<3).map { _ in
    let distance = Int64.random(in: -120_000...5_000, using: &random)
    return .time(HybridTime(millisecondsSince1970: clock.now + distance).endOfMillisecond)
  }
  for _ in 0..<3 where !frontiers.isEmpty {
    moments.append(.frontier(frontiers[Int.random(in: 0..<frontiers.count, using: &random)]))
  }
  return moments
}

/// What each commit had seen when it was written.
private func frontiers(of backend: any Backend) async throws -> [Frontier] {
  var seen: [ReplicaID: [ReplicaID: CommitID]] = [:]
  var frontiers: [Frontier] = []
  for commit in try await backend.commits(beyond: .empty, atMost: .max) {
    var vector = seen[commit.id.replica] ?? [:]
    for dependency in commit.header.dependencies { vector[dependency.replica] = dependency }
    vector[commit.id.replica] = commit.id
    seen[commit.id.replica] = vector
    frontiers.append(Frontier(vector.values))
  }
  return frontiers
}
