/// The progress of a check.
public struct CheckProgress: Sendable, Hashable {
  /// Steps done: commits verified and replayed, then entities compared.
  public let done: Int
  /// The total number of steps.
  public let total: Int

  package init(done: Int, total: Int) {
    self.done = done
    self.total = total
  }
}

/// The outcome of a check.
public struct CheckReport: Sendable, Hashable {
  /// The number of commits verified.
  public var commitCount = 0
  /// The number of blocks verified.
  public var blockCount = 0
  /// The number of entities compared with the log.
  public var entityCount = 0
  /// The number of partially replicated commits. They are not errors: the missing parts will
  /// arrive.
  public var partialCount = 0
  /// The commits of a sealed space by what their signatures say; nil for an open space and a relay.
  public var signatures: SignatureCounts?
  /// The errors; empty if there are none.
  public var findings: [String] = []

  package init() {}

  /// Whether there are no errors.
  public var isClean: Bool { findings.isEmpty }
}
