import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

/// Cached contents of a file, in sessions that share it.
@Suite("Sessions on one file")
struct SessionTests {
  private let scratch: Scratch
  private let path: String
  private let clock = TestClock()

  init() throws {
    scratch = try Scratch()
    path = scratch.path("store")
  }

  private func open(touchCapacity: Int = 16_384) async throws -> SQLiteBackend {
    try await openBackend(path, clock: clock, touchCapacity: touchCapacity)
  }

  /// A transaction of which nothing stays.
  enum Nothing: CaseIterable {
    case emptyWrite
    case failingWrite
    case appendOfNothing
    case addIndexThatIsThere
    case leaveOfAnotherReplica

    func run(in backend: SQLiteBackend) async throws {
      struct Refusal: Error {}
      switch self {
      case .emptyWrite: _ = try await backend.write(WriteRequest()) { _ in }
      case .failingWrite:
        await #expect(throws: Refusal.self) {
          _ = try await backend.write(WriteRequest()) { writer in
            _ = try await writer.apply(
              .value("k", 99, semanticType: "int"),
              to: "a",
              time: nil
            )
            throw Refusal()
          }
        }
      case .appendOfNothing: _ = try await backend.append([])
      case .addIndexThatIsThere: try await backend.addIndex(on: "k", of: "A")
      case .leaveOfAnotherReplica: _ = try await backend.leave(.random())
      }
    }
  }

  @Test(
    arguments: Nothing.allCases
  )
  func `keep what another session wrote before a write that changes nothing`(nothing: Nothing)
    async throws
  {
    let (one, two) = (try await open(touchCapacity: 4), try await open())
    try await one.addIndex(on: "k", of: "A")
    try await one.create("a", "A", ["k": 1])
    try await one.set("a", "k", 2)
    _ = try await history(one)
    try await two.set("a", "k", 3)
    try await nothing.run(in: one)
    // The fourth touch has all of them sorted in.
    for value in 4...6 { try await one.set("a", "k", .int(Int64(value))) }
    #expect(try await history(one) == [6, 5, 4, 3, 2, 1])
    #expect(try await history(two) == [6, 5, 4, 3, 2, 1])
    #expect(try await one.findings() == [])
    try await one.close()
    try await two.close()
  }

  private func history(_ backend: SQLiteBackend) async throws -> [Int64] {
    try await backend.read(at: .now) { reader in
      try await reader.history(of: "a", key: "k", limit: nil).compactMap {
        guard case .value(_, .int(let number), _) = $0.content else { return nil }
        return number
      }
    }
  }

  @Test func `agree on the order of creation after another session created for a later date`()
    async throws
  {
    let (one, two) = (try await open(), try await open())
    try await one.create("a", "A")
    let later = HybridTime(millisecondsSince1970: clock.now + 60_000)
    try await two.write([.create(Creation("b", "A", time: later))])
    try await one.create("c", "A")
    for session in [one, two] {
      let ids = try await session.read(at: .now) { try await $0.fetch(Query("A")).map(\.id) }
      #expect(ids == ["a", "c", "b"])
      #expect(try await session.findings() == [])
      try await session.close()
    }
  }

  @Test(
    arguments: 0..<6 as Range<UInt64>
  )
  func `sessions on one file agree after every step with one that was opened just now`(seed: UInt64)
    async throws
  {
    var trial = SessionTrial(seed: seed, in: scratch)
    _ = try await trial.run(stepCount: 40)
  }
}
