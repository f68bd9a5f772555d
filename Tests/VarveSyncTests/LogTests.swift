import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveSync
import VarveTestSupport

@Suite("A SQLite log reads the same commits as the reference backend")
struct LogTests {
  @Test(arguments: 0..<6 as Range<UInt64>)
  func `over histories with copied files`(seed: UInt64) async throws {
    let clock = TestClock()
    let stores = [ReferenceBackend(wallMilliseconds: clock.reading())]
    for n in 0..<8 { try await stores[0].create(EntityID("\(n)")) }
    var copies = stores + [try stores[0].copy(), try stores[0].copy()]
    for n in 0..<9 {
      clock.advance(by: 1)
      try await copies[n % 3].create(EntityID("more \(n)"), ["x": .data(noise(3_000))])
    }
    var random = SplitMix64(seed: seed)
    copies.swapAt(0, Int.random(in: 0..<3, using: &random))
    var configuration = SQLiteBackend.Configuration()
    configuration.wallMilliseconds = clock.reading()
    let sqlite = try await SQLiteBackend.open(.inMemory, configuration: configuration)
    let reference = ReferenceBackend(wallMilliseconds: clock.reading())
    for copy in copies {
      try await sqlite.catchUp(with: copy)
      try await reference.catchUp(with: copy)
    }
    let commits = try await reference.commits(beyond: .empty, atMost: .max)
    let strange = CommitID(replica: .random(using: &random), sequence: 1, hash: .zero)
    let ids = commits.map(\.id) + [strange]
    #expect(try await sqlite.held(among: ids) == reference.held(among: ids))
    for commit in commits {
      let sequences = [1, 3, 8, 9, 10, 99] as [Int64]
      #expect(
        try await sqlite.predecessors(of: commit.id, at: sequences)
          == reference.predecessors(of: commit.id, at: sequences)
      )
      let frontier = Frontier([commit.id])
      let items = try await sqlite.items(
        beyond: frontier,
        atMost: .max,
        wholeUpTo: 1_000,
        outline: nil
      )
      let expected = try await reference.items(
        beyond: frontier,
        atMost: .max,
        wholeUpTo: 1_000,
        outline: nil
      )
      #expect(items.map(\.id) == expected.map(\.id))
      #expect(items.map(isLarge) == expected.map(isLarge))
      #expect(try await sqlite.blocks(of: commit.id, from: 0, atMost: .max) == commit.blocks)
    }
    #expect(try await sqlite.common(with: copies[0]) == reference.common(with: copies[0]))
    try await sqlite.close()
  }

  private func isLarge(_ item: LogItem) -> Bool { if case .large = item { true } else { false } }
}
