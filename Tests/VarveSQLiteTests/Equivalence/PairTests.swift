import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("The SQLite backend against the reference backend, with paired references", .serialized)
struct PairTests {
  @Test(
    arguments: Seeds.first(8, of: 11_000..<11_060)
  )
  func `has the same state while both play a history`(seed: UInt64) async throws {
    let trial = BackendTrial(seed: seed, refersInPairs: true, make: memoryBackend)
    let difference = try await trial.lockstep()
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test(arguments: Seeds.first(8, of: 12_000..<12_060))
  func `has the same state after the same commits`(seed: UInt64) async throws {
    let trial = BackendTrial(seed: seed, refersInPairs: true, make: memoryBackend)
    let difference = try await trial.append()
    #expect(difference == nil, "\(difference ?? "")")
  }
}
