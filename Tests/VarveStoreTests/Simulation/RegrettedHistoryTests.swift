import Foundation
import Testing
import VarveCore
import VarveStore
import VarveStoreTestSupport

/// Random histories in which most commits are undone at once, and entities own and are owned before
/// they are created.
private func expectRestored(seed: UInt64, stepCount: Int) async throws {
  var plan = StorePlan(seed: seed, stepCount: stepCount, thoroughEvery: 16)
  plan.habits = [.undoes, .strangers, .regrets]
  let (failure, tally) = try await StoreSimulation(plan).run(plan.steps)
  #expect(failure == nil, "seed \(seed): \(failure?.description ?? "")")
  #expect(tally.undoCount > 0)
}

@Suite struct RegrettedHistoryTests {
  @Test(arguments: 0..<12 as Range<UInt64>)
  func `an undo of the newest commit restores every state, and what erasures would do`(
    seed: UInt64
  ) async throws {
    try await expectRestored(seed: seed, stepCount: 30)
  }
}

@Suite(
  "Soak: histories with undos of the newest commits",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct RegrettedHistorySoakTests {
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `soak: histories with undos of the newest commits restore every state`(part: UInt64)
    async throws
  {
    for seed in 1_000 + part * 25..<1_025 + part * 25 {
      try await expectRestored(seed: seed, stepCount: 40)
    }
  }
}
