import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("The SQLite backend against the reference backend", .serialized)
struct TrialTests {
  @Test(arguments: Seeds.first(8, of: 0..<100))
  func `has the same state while both play a history`(seed: UInt64) async throws {
    let trial = BackendTrial(seed: seed, make: memoryBackend)
    let difference = try await trial.lockstep()
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test(arguments: Seeds.first(8, of: 1_000..<1_100))
  func `has the same state after the same commits`(seed: UInt64) async throws {
    let trial = BackendTrial(seed: seed, make: memoryBackend)
    let difference = try await trial.append()
    #expect(difference == nil, "\(difference ?? "")")
  }
}

/// A store in memory that writes under a replica and reads a clock.
@Sendable
func memoryBackend(_ replica: ReplicaID, _ clock: TestClock) async throws -> any Backend {
  var configuration = SQLiteBackend.Configuration()
  configuration.checksInvariants = true
  configuration.wallMilliseconds = clock.reading()
  configuration.replica = replica
  configuration.touchCapacity = 20
  return try await SQLiteBackend.open(.inMemory, configuration: configuration)
}

@Suite("Seeds that found something once")
struct RegressionTests {
  @Test(arguments: [1_000])
  func `a backdated removal in the commit that created the value does not win`(seed: UInt64)
    async throws
  {
    let difference = try await BackendTrial(seed: seed, make: memoryBackend).append()
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test(arguments: [21, 25, 56])
  func `values of a former life do not push new ones into the future`(seed: UInt64) async throws {
    let difference = try await BackendTrial(seed: seed, make: memoryBackend).lockstep()
    #expect(difference == nil, "\(difference ?? "")")
  }
}
