import VarveCore

/// A part of a space's commits, as far as it has arrived.
struct ArrivingPart {
  private var head: PartHead?
  private var bytes: [UInt8] = []
  private var intake: RecordIntake
  private var performer: SyncPerformer
  /// The space that hands the commits over.
  private let caller: LogCaller
  /// The outcome so far.
  private(set) var outcome = AppendOutcome()

  /// - Parameter address: the address of the space; nil if the log is not bound to it.
  init(_ log: any CommitLog, at address: String?, limits: SyncLimits) {
    caller = LogCaller(nil, .space(address: address))
    intake = RecordIntake(limits: limits)
    performer = SyncPerformer(log, limits: limits)
  }

  /// Whether the part contained anything new, so that the next request makes sense.
  var didProgress: Bool {
    !outcome.kept.isEmpty || !outcome.parked.isEmpty || head?.parked.isEmpty == false
      || head?.awaited.isEmpty == false
  }

  mutating func add(_ arrived: [UInt8]) async throws {
    guard head == nil else { return try await take(arrived) }
    bytes += arrived
    guard let (head, byteCount) = try PartHead.read(bytes) else { return }
    self.head = head
    let rest = bytes.dropFirst(byteCount)
    bytes = []
    try await take(rest)
  }

  /// Ends the part. What arrived completely is kept, even if the part was cut.
  mutating func finish() async throws -> PartHead {
    try await perform(intake.finish())
    outcome.parked += intake.parked
    guard let head, intake.completeCount == head.commitCount else {
      throw VarveError(
        .inputOutput,
        "the reply of the other side ended early",
        remedy: "Synchronise again: received commits are kept."
      )
    }
    return head
  }

  private mutating func take(_ bytes: some Collection<UInt8>) async throws {
    try await perform(try intake.add(bytes))
  }

  /// Performs actions on behalf of the space, which has decided what it takes.
  private mutating func perform(_ actions: [SyncAction]) async throws {
    var (performer, outcome) = (performer, outcome)
    defer { (self.performer, self.outcome) = (performer, outcome) }
    try await LogCaller.$current.withValue(caller) {
      try await performer.perform(actions, into: &outcome)
    }
  }
}
