/// Shortens a failing history while it fails in the same way.
package enum StoreShrinking {
  /// Returns a shorter history with the same kind of failure.
  ///
  /// - Parameters:
  ///   - steps: the history.
  ///   - failure: the failure.
  ///   - plan: the plan of the simulation.
  ///   - limit: the maximum number of histories to try.
  package static func shrink(
    _ steps: [StoreStep],
    _ failure: StoreFailure,
    of plan: StorePlan,
    limit: Int
  ) async throws -> (steps: [StoreStep], failure: StoreFailure) {
    var plan = plan
    plan.thoroughEvery = 1
    var (steps, failure, rest) = (Array(steps.prefix(failure.step + 1)), failure, limit)
    func fails(_ candidate: [StoreStep]) async throws -> Bool {
      rest -= 1
      let found = try await StoreSimulation(plan).run(candidate).0
      guard let found, found.kind == failure.kind else { return false }
      (steps, failure) = (Array(candidate.prefix(found.step + 1)), found)
      return true
    }
    var size = max(1, steps.count / 2)
    while rest > 0 {
      var (start, isShorter) = (0, false)
      while start < steps.count, rest > 0 {
        var candidate = steps
        candidate.removeSubrange(start..<min(start + size, steps.count))
        if try await fails(candidate) { isShorter = true } else { start += size }
      }
      if size == 1, !isShorter { break }
      size = max(1, size / 2)
    }
    var index = 0
    while index < steps.count, rest > 0 {
      var isShorter = false
      for step in steps[index].shorter where rest > 0 {
        var candidate = steps
        candidate[index] = step
        isShorter = try await fails(candidate)
        if isShorter { break }
      }
      if !isShorter { index += 1 }
    }
    return (steps, failure)
  }
}
