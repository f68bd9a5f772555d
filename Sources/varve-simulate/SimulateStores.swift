import VarveStoreTestSupport

/// Runs simulations of whole stores, by their public interface.
enum SimulateStores {
  /// Runs seeds; answers whether all went well.
  static func run(_ options: Options) async throws -> Bool {
    let start = ContinuousClock.now
    var tally = StoreTally()
    var (count, failureCount) = (0, 0)
    for seed in options.seeds {
      if let limit = options.secondsMax, ContinuousClock.now - start > .seconds(limit) { break }
      count += 1
      var plan = StorePlan(seed: seed)
      plan.stepCount = options.stepCount
      plan.sessionCount = options.sessionCount
      plan.passedOver = options.passedOver
      let (failure, done) = try await StoreSimulation(plan).run(plan.steps)
      tally.add(done)
      guard let failure else { continue }
      failureCount += 1
      Simulate.say("seed \(seed): \(failure)")
      if options.shrinkingMax > 0 {
        let (steps, shorter) = try await StoreShrinking.shrink(
          plan.steps,
          failure,
          of: plan,
          limit: options.shrinkingMax
        )
        for step in steps { Simulate.say("  \(step.brief)") }
        Simulate.say("  \(shorter)")
      }
      if failureCount == options.failuresMax { break }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    Simulate.say("\(count) seeds of stores, \(failureCount) failed, \(Int(seconds)) s")
    Simulate.say("\(tally)")
    return failureCount == 0
  }
}
