import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

/// Ten times the random histories of the other suites, with longer ones among them: minutes of
/// work, for `make soak`. They run in parts of fifty seeds.
@Suite(
  "Soak: thousands of random histories",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct SoakTests {
  @Test(arguments: 0..<60 as Range<UInt64>)
  func `SQLite has the state of the fold`(part: UInt64) async throws {
    for seed in 10_000 + part * 50..<10_050 + part * 50 {
      try await playAndCompare(seed: seed, stepCount: seed % 10 == 0 ? 150 : 60)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `SQLite and the reference play alike`(part: UInt64) async throws {
    for seed in 20_000 + part * 50..<20_050 + part * 50 {
      let difference = try await BackendTrial(seed: seed, make: memoryBackend).lockstep()
      #expect(difference == nil, "\(difference ?? "")")
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `SQLite and the reference take commits alike`(part: UInt64) async throws {
    for seed in 30_000 + part * 50..<30_050 + part * 50 {
      let difference = try await BackendTrial(seed: seed, make: memoryBackend).append()
      #expect(difference == nil, "\(difference ?? "")")
    }
  }
}
