#if canImport(Glibc)
/// From `malloc.h`, which Swift's module of the C library omits.
@_silgen_name("malloc_trim")
private func trimMemory(_ pad: Int) -> CInt
#endif

/// The results of a benchmark.
struct Measurement {
  let benchmark: Benchmark
  /// The costs of each contestant, one a repetition.
  let costs: [String: [Double]]

  /// One comparison's outcome.
  struct Ratio {
    let comparison: Benchmark.Comparison
    /// The ratio of the medians.
    let ratio: Double
    /// The quartiles of the ratios within a repetition.
    let low: Double
    let high: Double

    var isMet: Bool? { comparison.bar?.isMet(by: ratio) }
  }

  /// Runs the contestants in turn, as often as requested. Each turn begins with another one, so
  /// that none has a better place. After the first turn, all must have the same result.
  init(_ benchmark: Benchmark, repetitions: Int) async throws {
    var costs: [String: [Double]] = [:]
    let areCompared = benchmark.contestants.count > 1
    for repetition in 0..<repetitions {
      var checksums: [(name: String, Evidence.Checksum)] = []
      for index in benchmark.contestants.indices {
        let place = (index + repetition) % benchmark.contestants.count
        let contestant = benchmark.contestants[place]
        Self.settleMemory()
        let evidence = Evidence(isWanted: areCompared && repetition == 0)
        costs[contestant.name, default: []].append(try await contestant.run(evidence))
        if contestant.isCompared { checksums.append((contestant.name, evidence.checksum)) }
      }
      if areCompared, repetition == 0 {
        try Evidence.compare(checksums, in: benchmark.name)
      }
    }
    self.benchmark = benchmark
    self.costs = costs
  }

  /// Gives free memory back to the system, so that each contestant begins with the same memory. The
  /// fragments of the previous contestant make the next slower, by a third if it creates hundreds
  /// of thousands of texts.
  private static func settleMemory() {
    #if canImport(Glibc)
    _ = trimMemory(0)
    #endif
  }

  func sample(of contestant: String) -> Sample { Sample(costs[contestant] ?? []) }

  var ratios: [Ratio] {
    benchmark.comparisons.map { comparison in
      let subject = costs[comparison.subject] ?? []
      let anchor = costs[comparison.anchor] ?? []
      let pairs = Sample(zip(subject, anchor).map { comparison.ratio($0, $1) })
      return Ratio(
        comparison: comparison,
        ratio: comparison.ratio(Sample(subject).median, Sample(anchor).median),
        low: pairs.low,
        high: pairs.high
      )
    }
  }
}

extension Benchmark.Comparison {
  fileprivate func ratio(_ subject: Double, _ anchor: Double) -> Double {
    kind == .rate ? anchor / subject : subject / anchor
  }
}
