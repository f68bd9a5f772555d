/// What a step of many commits took.
struct StepFigures: Encodable {
  /// For all commits; extrapolated where only some were done.
  let seconds: Double
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
  let openSeconds: Double
  let checksum: Int64
  let firstOldSeconds: Double
  /// Of a further value at the same time, in the median.
  let nextOldSeconds: Double
  let peakMemoryBytes: Int
}

/// What merging both ways came to.
struct MergeFigures: Encodable {
  let seconds: Double
  let peakMemoryBytes: Int
}
