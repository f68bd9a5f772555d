import VarveCore

/// A part of a space's commits, as far as it has arrived.
struct ArrivingPart {
  private var head: PartHead?
  private var bytes: [UInt8] = []
  private var intake: RecordIntake
  private var performer: SyncPerformer
  /// The commits that are in the log now.
  private(set) var kept: [AppendOutcome.Kept] = []
  private(set) var parked: [Parked] = []
  /// The missing commits that others of the part depend on.
  private(set) var missing: [CommitID] = []
  private(set) var report = AppendReport()

  init(_ log: any CommitLog, limits: SyncLimits) {
    intake = RecordIntake(limits: limits)
    performer = SyncPerformer(log, limits: limits)
  }

  /// Whether the part brought anything, so that asking again makes sense.
  var didProgress: Bool {
    !kept.isEmpty || !parked.isEmpty || head?.parked.isEmpty == false
      || head?.awaited.isEmpty == false
  }

  mutating func add(_ arrived: [UInt8]) async throws {
    guard head == nil else { return try await perform(try intake.add(arrived)) }
    bytes += arrived
    guard let (head, byteCount) = try PartHead.read(bytes) else { return }
    self.head = head
    let rest = bytes.dropFirst(byteCount)
    bytes = []
    try await perform(try intake.add(rest))
  }

  /// Ends the part. What arrived completely is kept, even if the part was cut.
  mutating func finish() async throws -> PartHead {
    try await perform(intake.finish())
    parked += intake.parked
    guard let head, intake.completeCount == head.commitCount else {
      throw VarveError(
        .inputOutput,
        "the reply of the other side ended early",
        remedy: "Synchronise again: received commits are kept."
      )
    }
    return head
  }

  private mutating func perform(_ actions: [SyncAction]) async throws {
    for action in actions {
      guard case .appended(let outcome)? = try await performer.perform(action) else { continue }
      kept += outcome.kept
      parked += outcome.parked
      missing += outcome.waiting.map(\.needed) + outcome.leftOut
      report.add(outcome.report)
    }
  }
}

extension SyncReport {
  /// Adds what a part brought.
  mutating func add(_ part: ArrivingPart) {
    receivedCount += part.report.addedCount
    withheldCount += part.report.withheldCount
    died += part.report.died
    replacedReplica = part.report.replacedReplica ?? replacedReplica
    completedCount += part.report.completedCount
  }

  /// Counts a commit that waits for another.
  mutating func note(waitingFor needed: CommitID) {
    if let place = waiting.firstIndex(where: { $0.needed == needed }) {
      waiting[place] = Waiting(needed: needed, commitCount: waiting[place].commitCount + 1)
    } else {
      waiting.append(Waiting(needed: needed, commitCount: 1))
    }
  }
}
