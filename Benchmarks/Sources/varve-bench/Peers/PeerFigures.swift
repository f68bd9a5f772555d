import Foundation

/// The duration, and the processor time, which is more meaningful on a shared machine.
struct Cost: Encodable {
  let seconds: Double
  let cpuSeconds: Double

  /// Returns the cost of a piece of work.
  static func of(_ work: () async throws -> Void) async rethrows -> Cost {
    let start = processorSeconds
    let time = try await varve_bench.seconds(work)
    return Cost(seconds: time, cpuSeconds: processorSeconds - start)
  }

  /// The processor's time of all threads of this process.
  static var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

/// The cost of a step with many commits.
struct StepFigures: Encodable {
  /// For all commits; extrapolated if only some were made.
  let seconds: Double
  let cpuSeconds: Double
  /// The number of commits made.
  let commits: Int
  let isExtrapolated: Bool
}

/// The results of writing.
struct WriteFigures: Encodable {
  let add: StepFigures
  let change: StepFigures
  /// Of all files, after closing.
  let bytes: Int
  let peakMemoryBytes: Int
  /// With the store open and nothing written.
  let startMemoryBytes: Int
  /// The sum of the last counts, the same for all contestants.
  let checksum: Int64
}

/// The results of reopening, and of reading former values.
struct ReopenFigures: Encodable {
  /// Until the first value is read.
  let open: Cost
  let checksum: Int64
  let firstOld: Cost
  /// Of a further value at the same time, in the median.
  let nextOldSeconds: Double
  let peakMemoryBytes: Int
}

/// The results of merging in both directions.
struct MergeFigures: Encodable {
  let seconds: Double
  let cpuSeconds: Double
  let peakMemoryBytes: Int
}
