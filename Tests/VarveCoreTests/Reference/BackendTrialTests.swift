import Testing
import VarveCore
import VarveTestSupport

@Suite("Trials of a backend")
struct BackendTrialTests {
  @Test(arguments: 0..<3 as Range<UInt64>)
  func `trials of a backend find nothing if the subject is a reference backend`(seed: UInt64)
    async throws
  {
    let trial = BackendTrial(seed: seed, stepCount: 40) { replica, clock in
      ReferenceBackend(replica: replica, wallMilliseconds: clock.reading())
    }
    let (lockstep, append) = (try await trial.lockstep(), try await trial.append())
    #expect(lockstep == nil)
    #expect(append == nil)
  }

  @Test func `trials of a backend find a subject that reads the clock incorrectly`() async throws {
    let trial = BackendTrial(seed: 1, stepCount: 40) { replica, clock in
      ReferenceBackend(replica: replica, wallMilliseconds: clock.reading(skew: 1))
    }
    let difference = try await trial.lockstep()
    #expect(difference?.contains("seed 1") == true)
  }
}
