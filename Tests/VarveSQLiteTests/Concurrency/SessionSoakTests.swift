import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite(
  "Soak: sessions on one file",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct SessionSoakTests {
  @Test(
    arguments: 0..<20 as Range<UInt64>
  )
  func `agree after every step with one that was opened just now`(part: UInt64) async throws {
    let scratch = try Scratch()
    for seed in 1_000 + part * 25..<1_025 + part * 25 {
      var trial = SessionTrial(seed: seed, in: scratch)
      _ = try await trial.run(stepCount: 120)
    }
  }
}
