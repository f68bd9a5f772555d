import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("A file with some changed bits", .enabled(if: PlainFiles.areUsed))
struct BitFlipTests {
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a file with some changed bits is read, checked and rebuilt, or refused in words`(
    seed: UInt64
  ) async throws {
    let store = try await DamagedStore(seed: seed)
    var random = SplitMix64(seed: seed)
    for _ in 0..<20 {
      let bit = Int.random(in: 0..<store.bytes.count * 8, using: &random)
      try await store.flip(bit)
      await expectWords("seed \(seed), bit \(bit)") { try await store.useAll() }
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `a file with some changed bits is detected if the bit is in a block of the log`(seed: UInt64)
    async throws
  {
    let store = try await DamagedStore(seed: seed)
    var random = SplitMix64(seed: ~seed)
    #expect(store.payloads.count > 5)
    for _ in 0..<10 {
      let payload = random.pick(store.payloads)
      let bit = Int.random(in: payload.lowerBound * 8..<payload.upperBound * 8, using: &random)
      try await store.flip(bit)
      let error = await failure {
        let backend = try await openBackend(store.path)
        #expect(try await backend.findings() != [], "seed \(seed), bit \(bit)")
        try await backend.close()
      }
      #expect(error == nil || error?.code == .damaged, "seed \(seed), bit \(bit): \(error as Any)")
    }
  }

  private func expectWords(_ place: Comment, _ body: () async throws -> Void) async {
    do {
      try await body()
    } catch let error as VarveError {
      #expect(!error.message.isEmpty, place)
    } catch {
      Issue.record("not a VarveError: \(error)", sourceLocation: #_sourceLocation)
    }
  }
}

/// A closed store, and what damage does to it.
private struct DamagedStore {
  let scratch: Scratch
  let path: String
  let bytes: [UInt8]
  /// The places of the beginnings of blocks in the file.
  let payloads: [Range<Int>]
  let generator: HistoryGenerator

  init(seed: UInt64) async throws {
    scratch = try Scratch()
    path = scratch.path("store")
    let clock = TestClock()
    let backend = try await openBackend(path, clock: clock)
    let fleet = Fleet([backend, try await openBackend(clock: clock)], clock: clock)
    var generator = HistoryGenerator(seed: seed, replicaCount: 2)
    try await fleet.run(generator.steps(40))
    try await fleet.mergeAll()
    let commits = try await backend.allCommits()
    self.generator = generator
    for backend in fleet.backends { try await backend.close() }
    let bytes = Array(FileManager.default.contents(atPath: path) ?? Data())
    self.bytes = bytes
    payloads = commits.flatMap(\.blocks).compactMap { block in
      Data(bytes).range(of: Data(block.stored.prefix(200)))
    }
  }

  /// Restores the file, with one bit flipped.
  func flip(_ bit: Int) async throws {
    var bytes = bytes
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    try replaceStore(path, with: bytes)
  }

  /// Performs every kind of call on a store, and closes it in any case.
  func useAll() async throws {
    let backend = try await openBackend(path)
    var random = SplitMix64(seed: 1)
    let uses: [() async throws -> Void] = [
      { _ = try await backend.findings() }, { _ = try await backend.allCommits() },
      { _ = try await CanonicalExport(of: backend, ids: generator.ids) },
      { [generator] in
        let middle = Moment.time(HybridTime(millisecondsSince1970: TestClock().now + 1_000))
        _ = try await CanonicalExport(of: backend, at: middle, ids: generator.ids)
      },
      { try await backend.set(generator.ids[0], "name", "after the damage") },
      { _ = try await openBackend().catchUp(with: backend) },
      { try await backend.rebuild() },
    ]
    var first: (any Error)?
    for use in uses {
      do { try await use() } catch { first = first ?? error }
    }
    for _ in 0..<10 {
      let query = random.query(generator)
      do { _ = try await backend.read(at: .now) { try await $0.fetch(query) } } catch {
        first = first ?? error
      }
    }
    try await backend.close()
    if let first { throw first }
  }
}
