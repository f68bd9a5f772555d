import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("A random store survives a round trip", .serialized)
struct RoundTripTests {
  /// A replica of a random history.
  private func play(
    _ seed: UInt64,
    _ clock: TestClock
  ) async throws -> (backend: SQLiteBackend, ids: [EntityID]) {
    var backends: [SQLiteBackend] = []
    for replica in Fleet.replicas(count: 3, seed: seed) {
      backends.append(try await makeBackend(clock, replica: replica))
    }
    var generator = HistoryGenerator(seed: seed)
    let fleet = Fleet(backends, clock: clock)
    try await fleet.run(generator.steps(60))
    if seed % 2 == 0 { try await fleet.mergeAll() }
    clock.advance(by: 10_000_000)
    return (backends[0], generator.ids)
  }

  @Test(
    arguments: Seeds.first(20, of: 0..<60)
  )
  func `from a full document: history, removals, relations`(seed: UInt64) async throws {
    let clock = TestClock()
    let (backend, ids) = try await play(seed, clock)
    let text = try await Store(backend: backend).document(.full)
    let expected = try await CanonicalExport(of: backend, ids: ids)
    let targets: [any Backend] = [
      try await makeBackend(clock), ReferenceBackend(wallMilliseconds: clock.reading()),
    ]
    for target in targets {
      let store = Store(backend: target)
      let report = try await store.load(text)
      let commitCount = try await store.log().count
      #expect(report.isFull && report.importedCount == commitCount)
      let actual = try await CanonicalExport(of: target, ids: ids)
      let difference = expected.firstDifference(from: actual)
      #expect(difference == nil, "seed \(seed): \(difference ?? "")")
      #expect(try await store.check().findings == [])
      #expect(try await store.document(.full) == text)
      #expect(try await store.load(text).importedCount == 0)
    }
  }

  @Test(arguments: Seeds.first(20, of: 0..<60))
  func `a random store survives a round trip by a normalized document: its present state`(
    seed: UInt64
  ) async throws {
    let clock = TestClock()
    let (backend, _) = try await play(seed, clock)
    let store = Store(backend: backend)
    let text = try await store.document(.normalized)
    let copy = try await makeStore(clock)
    let report = try await copy.load(text)
    #expect(report.skipped.isEmpty, "seed \(seed)")
    let difference = try await copy.records(.normalized).symmetricDifference(
      store.records(.normalized)
    )
    #expect(difference == [], "seed \(seed)")
    #expect(try await copy.check().findings == [], "seed \(seed)")
    for again in [copy, store] {
      #expect(try await again.load(text).commit == nil, "seed \(seed)")
    }
  }

  @Test(arguments: Seeds.first(20, of: 0..<60))
  func `a random store survives a round trip from a compact document: the values`(seed: UInt64)
    async throws
  {
    let clock = TestClock()
    let (backend, _) = try await play(seed, clock)
    let store = Store(backend: backend)
    let text = try await store.document(.compact)
    let copy = try await makeStore(clock)
    try await copy.load(text)
    let difference = try await copy.records(.compact).symmetricDifference(store.records(.compact))
    #expect(difference == [], "seed \(seed)")
    for again in [copy, store] {
      #expect(try await again.load(text).commit == nil, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `both backends write the same documents`(seed: UInt64) async throws {
    let clock = TestClock()
    let (backend, _) = try await play(seed, clock)
    let reference = ReferenceBackend(wallMilliseconds: clock.reading())
    try await reference.catchUp(with: backend)
    for form in InterchangeForm.allCases {
      let ours = try await Store(backend: backend).document(form).split(separator: "\n")
      let theirs = try await Store(backend: reference).document(form).split(separator: "\n")
      let difference = zip(ours, theirs).first { $0 != $1 }
      #expect(
        ours == theirs,
        "seed \(seed), \(form): \(difference.map { "\($0.0) | \($0.1)" } ?? "the end")"
      )
    }
  }
}
