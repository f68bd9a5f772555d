import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("The SQLite backend against the reference backend", .serialized)
struct TrialTests {
  @Test("says the same while both play a history", arguments: Seeds.first(8, of: 0..<100))
  func lockstep(seed: UInt64) async throws {
    let trial = BackendTrial(seed: seed, make: memoryBackend)
    let difference = try await trial.lockstep()
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test("says the same of commits it is given", arguments: Seeds.first(8, of: 1_000..<1_100))
  func append(seed: UInt64) async throws {
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
  @Test("a backdated removal in the commit that created the value does not win", arguments: [1_000])
  func backdatedRemoval(seed: UInt64) async throws {
    let difference = try await BackendTrial(seed: seed, make: memoryBackend).append()
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test("values of a former life do not push new ones into the future", arguments: [21, 25, 56])
  func formerLife(seed: UInt64) async throws {
    let difference = try await BackendTrial(seed: seed, make: memoryBackend).lockstep()
    #expect(difference == nil, "\(difference ?? "")")
  }
}
