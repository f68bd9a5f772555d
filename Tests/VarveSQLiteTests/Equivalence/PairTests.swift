import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("The SQLite backend against the reference backend, with paired references", .serialized)
struct PairTests {
  @Test("says the same while both play a history", arguments: Seeds.first(8, of: 11_000..<11_060))
  func lockstep(seed: UInt64) async throws {
    let trial = BackendTrial(seed: seed, refersInPairs: true, make: memoryBackend)
    let difference = try await trial.lockstep()
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test("says the same of commits it is given", arguments: Seeds.first(8, of: 12_000..<12_060))
  func append(seed: UInt64) async throws {
    let trial = BackendTrial(seed: seed, refersInPairs: true, make: memoryBackend)
    let difference = try await trial.append()
    #expect(difference == nil, "\(difference ?? "")")
  }
}
