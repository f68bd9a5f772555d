import VarveTestSupport

/// Runs simulations of clients that meet at a space.
enum SimulateSpaces {
  /// Runs seeds; returns whether all succeeded.
  static func run(_ options: Options) async throws -> Bool {
    if options.findsFaults { return try await findFaults(options) }
    let start = ContinuousClock.now
    var tally = SpaceTally()
    var (count, failureCount) = (0, 0)
    for seed in options.seeds {
      if let limit = options.secondsMax, ContinuousClock.now - start > .seconds(limit) { break }
      count += 1
      let (failure, done) = try await simulate(plan(seed, options))
      tally.add(done)
      guard let failure else { continue }
      failureCount += 1
      Simulate.say("seed \(seed): \(failure)")
      if failureCount == options.failuresMax { break }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    Simulate.say("\(count) seeds of spaces, \(failureCount) failed, \(Int(seconds)) s")
    Simulate.say("\(tally)")
    return failureCount == 0
  }

  private static func plan(_ seed: UInt64, _ options: Options) -> SpacePlan {
    var plan = SpacePlan(seed: seed, stepCount: options.stepCount)
    plan.isTold = options.isTold
    return plan
  }

  /// Plants each fault; returns whether some seed finds every one of them.
  private static func findFaults(_ options: Options) async throws -> Bool {
    var isRight = true
    for fault in SpaceFault.allCases
    where options.spaceFault == nil || options.spaceFault == fault {
      var found: (seed: UInt64, what: String)?
      for seed in options.seeds where found == nil {
        var plan = plan(seed, options)
        plan.fault = fault
        if let failure = try await simulate(plan).0 { found = (seed, failure) }
      }
      isRight = isRight && found != nil
      let what = found.map { "caught by seed \($0.seed): \($0.what.prefix { $0 != "\n" })" }
      Simulate.say("\(fault.rawValue): \(what ?? "NOT caught")")
    }
    return isRight
  }

  private static func simulate(_ plan: SpacePlan) async throws -> (String?, SpaceTally) {
    let simulation = SpaceSimulation(plan, disk: try MixedDisk(nil))
    do {
      try await simulation.run()
      return (nil, simulation.tally)
    } catch {
      for line in simulation.journal { Simulate.say("  \(line)") }
      return ("\(error)", simulation.tally)
    }
  }
}
