import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("The SQLite backend against the reference backend, while entities are purged", .serialized)
struct ForgettingTests {
  @Test("says the same while both play a history", arguments: 5_000..<5_060 as Range<UInt64>)
  func lockstep(seed: UInt64) async throws {
    let trial = BackendTrial(seed: seed, forgets: true, make: memoryBackend)
    let difference = try await trial.lockstep()
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test("says the same of commits it is given", arguments: 6_000..<6_060 as Range<UInt64>)
  func append(seed: UInt64) async throws {
    let trial = BackendTrial(seed: seed, forgets: true, make: memoryBackend)
    let difference = try await trial.append()
    #expect(difference == nil, "\(difference ?? "")")
  }
}
