import VarveCore

/// Takes in records of commits as their bytes arrive, and returns what to do with the log.
package struct RecordIntake: Sendable {
  private var assembler: CommitAssembler
  /// The commits that cannot be read, or of which not everything arrived, unless they were taken.
  package private(set) var parked: [Parked] = []

  /// The maximum number of commits.
  private let commitLimit: Int

  package init(limits: SyncLimits = SyncLimits()) {
    assembler = CommitAssembler(limits: limits)
    commitLimit = limits.requestCommitCount
  }

  /// The number of commits that arrived completely.
  package var completeCount: Int { assembler.endedCount }

  /// Takes in bytes.
  ///
  /// - Throws: `damaged` if they are no records or too many, `newerFormat` if they are those of a
  ///   later version.
  package mutating func add(_ bytes: some Collection<UInt8>) throws -> [SyncAction] {
    assembler.add(bytes)
    var actions: [SyncAction] = []
    while let record = try assembler.next() {
      let outcome = assembler.take(record)
      actions += outcome.actions
      parked += outcome.parked
      guard completeCount <= commitLimit else {
        throw Frame.damaged("there are more than \(commitLimit) commits in a request")
      }
      if assembler.isFull { actions += assembler.flush() }
    }
    return actions
  }

  /// Returns the parked commits since the last call, and forgets them.
  mutating func takeParked() -> [Parked] {
    defer { parked = [] }
    return parked
  }

  /// Ends the intake: adds what is complete, and forgets a commit of which not everything arrived.
  package mutating func finish() -> [SyncAction] { assembler.finish() }
}
