import VarveCore

/// Takes in records of commits as their bytes arrive, and returns what to do with the log.
package struct RecordIntake: Sendable {
  private var assembler: CommitAssembler
  /// The commits that cannot be read, or of which not everything arrived, unless they were taken.
  package private(set) var parked: [Parked] = []

  /// Whether commits that redact others are accepted.
  private let takesRedactions: Bool
  /// The maximum number of commits.
  private let commitLimit: Int
  /// Commits that are refused, and the commits that depend on them.
  private var refused: Set<CommitID> = []

  package init(limits: SyncLimits = SyncLimits(), takesRedactions: Bool = true) {
    assembler = CommitAssembler(limits: limits)
    self.takesRedactions = takesRedactions
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
      let outcome = assembler.take(admitted(record))
      actions += outcome.actions
      parked += outcome.parked
      guard completeCount <= commitLimit else {
        throw Frame.damaged("there are more than \(commitLimit) commits in a request")
      }
      if assembler.isFull { actions += assembler.flush() }
    }
    return actions
  }

  /// Returns a record, or what stands for a commit that may not be taken: one that cannot be read,
  /// whose blocks are skipped.
  private mutating func admitted(_ record: CommitStreamReader.Record) -> CommitStreamReader.Record {
    guard !takesRedactions, let commit = record.readable else { return record }
    let isRedaction = commit.header.kind == .redactions
    guard isRedaction || commit.needed.contains(where: refused.contains) else { return record }
    refused.insert(commit.id)
    let why =
      isRedaction
      ? "it purges or compacts, which only an admin of the space may hand over"
      : "it follows a commit that was not taken"
    return .unreadable(
      commit.id,
      VarveError(.readOnly, why, remedy: "Hand it over with the token of an admin.")
    )
  }

  /// Returns the parked commits since the last call, and forgets them.
  mutating func takeParked() -> [Parked] {
    defer { parked = [] }
    return parked
  }

  /// Ends the intake: adds what is complete, and forgets a commit of which not everything arrived.
  package mutating func finish() -> [SyncAction] { assembler.finish() }
}
