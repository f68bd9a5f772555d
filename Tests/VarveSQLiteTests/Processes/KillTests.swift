import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("A process killed while it writes", .serialized)
struct KillTests {
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `loses nothing it acknowledged and leaves nothing torn`(seed: UInt64) async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    var random = SplitMix64(seed: seed)
    var acknowledged: Set<CommitName> = []
    for round in 0..<10 {
      let writer = try Torture("write", path, "writer \(round)", "0")
      // Sometimes the process is killed before it has opened the store.
      if random.chance(85) { try await writer.said(2) }
      try await Task.sleep(for: .milliseconds(random.pick([0, 1, 2, 5, 10, 20, 40, 80, 120])))
      try await writer.kill()
      acknowledged.formUnion(writer.acknowledged)
      let backend = try await openBackend(path)
      try await expectWhole(backend, acknowledged, "seed \(seed), round \(round)")
      if round == 9 { #expect(try await backend.findings() == [], "seed \(seed)") }
      try await backend.close()
    }
    #expect(acknowledged.count > 10)
  }

  @Test(arguments: 0..<2 as Range<UInt64>)
  func `loses nothing that its tasks acknowledged together`(seed: UInt64) async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    var random = SplitMix64(seed: seed)
    var acknowledged: Set<CommitName> = []
    for round in 0..<5 {
      let writer = try Torture("durable", path, "writer \(round)")
      try await writer.said(3)
      try await Task.sleep(for: .milliseconds(random.pick([0, 1, 5, 20, 60])))
      try await writer.kill()
      acknowledged.formUnion(writer.acknowledged)
      let backend = try await openBackend(path)
      try await expectWhole(backend, acknowledged, "seed \(seed), round \(round)")
      if round == 4 { #expect(try await backend.findings() == [], "seed \(seed)") }
      try await backend.close()
    }
    #expect(acknowledged.count > 5)
  }

  @Test(arguments: 0..<2 as Range<UInt64>)
  func `a process killed while it writes loses nothing after attempts that it undid`(seed: UInt64)
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("store")
    var random = SplitMix64(seed: seed)
    var acknowledged: Set<CommitName> = []
    for round in 0..<4 {
      let writer = try Torture("attempts", path, "writer \(round)")
      try await writer.said(random.pick([3, 4, 6, 9]))
      try await writer.kill()
      acknowledged.formUnion(writer.acknowledged)
      let backend = try await openBackend(path)
      try await expectWhole(backend, acknowledged, "seed \(seed), round \(round)")
      if round == 3 { #expect(try await backend.findings() == [], "seed \(seed)") }
      try await backend.close()
    }
    #expect(acknowledged.count > 5)
  }

  /// Expects every acknowledged commit, and in every ledger the number of its writer's commits.
  private func expectWhole(
    _ backend: SQLiteBackend,
    _ acknowledged: Set<CommitName>,
    _ place: Comment
  ) async throws {
    let (log, ledgers) = try await backend.read(at: .now) { reader in
      (try await reader.log(limit: nil, offset: 0), try await reader.fetch(Query("Ledger")))
    }
    #expect(acknowledged.subtracting(log.map { CommitName($0.id) }) == [], place)
    #expect(log.map(\.id.sequence).reversed() == (0..<log.count).map { Int64($0) + 1 }, place)
    let counts = Dictionary(grouping: log, by: \.author).mapValues(\.count)
    for ledger in ledgers {
      let name = String(ledger.id.text.dropFirst("ledger ".count))
      #expect(ledger["n"] == .int(Int64(counts[name] ?? 0)), place)
    }
    #expect(ledgers.count == counts.count, place)
  }
}
