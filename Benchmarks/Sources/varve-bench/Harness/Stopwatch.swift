/// Returns the seconds that a piece of work takes. Its result lives until the clock has stopped.
func seconds<Result>(_ work: () async throws -> Result) async rethrows -> Double {
  let clock = ContinuousClock()
  let start = clock.now
  let result = try await work()
  let duration = clock.now - start
  withExtendedLifetime(result) {}
  return duration.seconds
}

extension Duration {
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
