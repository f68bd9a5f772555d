import VarveStoreTestSupport
import VarveTestSupport

/// Runs simulations of whole stores, by their public interface.
enum SimulateStores {
  /// Runs seeds; returns whether all succeeded.
  static func run(_ options: Options) async throws -> Bool {
    if options.findsFaults { return try await findFaults(options) }
    let start = ContinuousClock.now
    var tally = StoreTally()
    var (count, failureCount) = (0, 0)
    for seed in options.seeds {
      if let limit = options.secondsMax, ContinuousClock.now - start > .seconds(limit) { break }
      count += 1
      let plan = plan(seed, options)
      let (failure, done) = try await StoreSimulation(plan).run(plan.steps)
      tally.add(done)
      guard let failure else { continue }
      failureCount += 1
      Simulate.say("seed \(seed): \(failure)")
      if options.isTold {
        for (index, step) in plan.steps.enumerated() {
          Simulate.say("  \(index + 1): \(step.brief)")
        }
      }
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

  private static func plan(_ seed: UInt64, _ options: Options) -> StorePlan {
    var plan = StorePlan(seed: seed, stepCount: options.stepCount)
    plan.sessionCount = options.sessionCount
    plan.passedOver = options.passedOver
    return plan
  }

  /// Plants each mistake; returns whether some seed finds every one of them.
  private static func findFaults(_ options: Options) async throws -> Bool {
    var isRight = true
    for fault in ReferenceFault.allCases
    where options.storeFault == nil || options.storeFault == fault {
      var found: StoreFailure?
      for seed in options.seeds where found == nil {
        var plan = plan(seed, options)
        plan.fault = fault
        found = try await StoreSimulation(plan).run(plan.steps).0
        if let found { Simulate.say("\(fault.rawValue): caught by seed \(seed): \(found.brief)") }
      }
      if found == nil { Simulate.say("\(fault.rawValue): NOT caught") }
      isRight = isRight && found != nil
    }
    return isRight
  }
}
