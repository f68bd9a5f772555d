import VarveSync

/// The parameters of a simulation of clients of a space.
package struct SpacePlan: Sendable {
  package var seed: UInt64
  package var stepCount: Int
  package var fault: SpaceFault?
  /// Whether a journal is kept.
  package var isTold = false

  package init(seed: UInt64, stepCount: Int, fault: SpaceFault? = nil) {
    self.seed = seed
    self.stepCount = stepCount
    self.fault = fault
  }

  var clientCount: Int { 2 + Int(seed % 5) }

  /// Whether another space gets the address.
  var ends: Bool { seed % 8 == 5 }

  /// The percentage of transactions that purge.
  var purges: Int { seed % 2 == 0 ? 0 : 8 }

  /// Small ones, so that every bound is met often.
  var limits: SyncLimits {
    var limits = SyncLimits()
    limits.part = 2_000
    limits.append = 1_500
    limits.whole = 1_200
    limits.headCount = 3
    return limits
  }
}

/// The counts of simulations, which show that everything happened.
package struct SpaceTally: Sendable {
  package var writeCount = 0
  package var finishedCount = 0
  package var lostCount = 0
  package var cutCount = 0
  package var lateCount = 0
  package var restartCount = 0
  package var goBackCount = 0
  package var parkedCount = 0
  package var largeCount = 0
  package var refusedCount = 0
  package var cloneCount = 0

  package init() {}

  /// Adds what another did.
  package mutating func add(_ other: SpaceTally) {
    writeCount += other.writeCount
    finishedCount += other.finishedCount
    lostCount += other.lostCount
    cutCount += other.cutCount
    lateCount += other.lateCount
    restartCount += other.restartCount
    goBackCount += other.goBackCount
    parkedCount += other.parkedCount
    largeCount += other.largeCount
    refusedCount += other.refusedCount
    cloneCount += other.cloneCount
  }
}
