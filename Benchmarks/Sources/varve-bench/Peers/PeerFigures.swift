import Foundation

/// What something took: on the clock, and of the processor's time, which tells more where the machine
/// is shared.
struct Cost: Encodable {
  let seconds: Double
  let cpuSeconds: Double

  /// The cost of a piece of work.
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

/// What a step of many commits took.
struct StepFigures: Encodable {
  /// For all commits; extrapolated where only some were done.
  let seconds: Double
  let cpuSeconds: Double
  /// How many were done.
  let commits: Int
  let isExtrapolated: Bool
}

/// What writing came to.
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

/// What opening again came to, and reading what was.
struct ReopenFigures: Encodable {
  /// Until the first value is read.
  let open: Cost
  let checksum: Int64
  let firstOld: Cost
  /// Of a further value at the same time, in the median.
  let nextOldSeconds: Double
  let peakMemoryBytes: Int
}

/// What merging both ways came to.
struct MergeFigures: Encodable {
  let seconds: Double
  let cpuSeconds: Double
  let peakMemoryBytes: Int
}
