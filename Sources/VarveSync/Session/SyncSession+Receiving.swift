import VarveCore

/// The stream of commits from the other side.
struct Receiving: Sendable {
  var assembler: CommitAssembler
  /// The number of additions in progress.
  var appendCount = 0
  var receivedByteCount = 0
  var creditedByteCount = 0
  var keptCount = 0
  var waiting: CausalBuffer
  var questions: [[CommitID]] = []
  var hasEnded = false
  /// The summits that the other side named, until they are on the disk.
  var promised: Set<CommitID> = []
  /// Whether the log is asked for summits that did not arrive.
  var isLookingUpPromised = false
  /// The state of the request for awaited commits.
  var wanting = Wanting.notYet

  init(limits: SyncLimits) {
    assembler = CommitAssembler(limits: limits)
    waiting = CausalBuffer(limit: limits.waiting)
  }
}

extension SyncSession {
  mutating func received(_ bytes: [UInt8]) throws -> [SyncAction] {
    try count(bytes.count)
    receiving.assembler.add(bytes)
    var actions: [SyncAction] = []
    while let record = try receiving.assembler.next() {
      actions += perform(receiving.assembler.take(record))
    }
    return actions + credit()
  }

  /// Handles a commit that is handed over.
  mutating func handed(_ commit: Commit) throws -> [SyncAction] {
    try count(commit.byteCount)
    return perform(receiving.assembler.take(whole: commit)) + credit()
  }

  /// Counts a piece of the stream that has arrived.
  private mutating func count(_ byteCount: Int) throws {
    try demand(
      phase == .exchanging && (!receiving.hasEnded || receiving.isAsked),
      "commits come at the wrong time"
    )
    receiving.receivedByteCount += byteCount
    try demand(uncreditedByteCount <= limits.window, "it sends more than it may")
  }

  /// Adds what has arrived if it is much, and makes room for more.
  private mutating func credit() -> [SyncAction] {
    let added = receiving.assembler.isFull ? flush() : []
    return uncreditedByteCount >= limits.window / 4 ? added + acknowledge([]) : added
  }

  private var uncreditedByteCount: Int {
    receiving.receivedByteCount - receiving.creditedByteCount
  }

  private mutating func perform(_ outcome: CommitAssembler.Outcome) -> [SyncAction] {
    counted(outcome.actions) + outcome.parked.flatMap { refuse($0) }
  }

  /// Returns the actions, and counts the additions among them, whose outcomes are awaited.
  mutating func counted(_ actions: [SyncAction]) -> [SyncAction] {
    receiving.appendCount += actions.count(where: \.isAddition)
    return actions
  }

  /// Records a commit that cannot be added, and notifies the other side.
  private mutating func refuse(_ parked: Parked) -> [SyncAction] {
    guard !report.parkedThere.contains(where: { $0.commit == parked.commit }) else { return [] }
    report.parked.append(parked)
    return message(.parked(parked))
  }

  private mutating func flush() -> [SyncAction] { counted(receiving.assembler.flush()) }

  private mutating func acknowledge(_ heads: [CommitID]) -> [SyncAction] {
    receiving.creditedByteCount = receiving.receivedByteCount
    return message(
      .ack(
        byteCount: receiving.receivedByteCount,
        commitCount: receiving.keptCount,
        heads: heads
      )
    )
  }

  /// Handles the outcome for commits, which only now are on the disk.
  mutating func appended(_ outcome: AppendOutcome) -> [SyncAction] {
    receiving.appendCount -= 1
    if !receiving.hasEnded || receiving.wanting.isBefore {
      receiving.keptCount += outcome.kept.count
    }
    progress.receivedCount = receiving.keptCount
    report.add(outcome.report)
    progress.completedCount = report.completedCount
    var actions: [SyncAction] = []
    for parked in outcome.parked { actions += refuse(parked) }
    for (commit, needed) in outcome.waiting { receiving.waiting.add(commit, needing: needed) }
    for needed in outcome.leftOut { receiving.waiting.count(needing: needed) }
    for kept in outcome.kept { sending.outgoing.cover.insert(kept.id, after: kept.predecessor) }
    // The other side may have finished comparing before this one.
    if greeting.stage != .done { greeting.common.formUnion(outcome.kept.map(\.id)) }
    receiving.promised.subtract(outcome.kept.map(\.id))
    let ready = receiving.waiting.release(outcome.kept.map(\.id))
    if !ready.isEmpty { actions += counted([.append(ready)]) }
    return actions + acknowledge(outcome.newest) + finishIfDone()
  }

  mutating func ended(holdingBack heldBackCount: Int) throws -> [SyncAction] {
    try demand(phase == .exchanging && !receiving.hasEnded, "it ends at the wrong time")
    try demand(receiving.assembler.pendingByteCount == 0, "its commits end in the middle of one")
    receiving.hasEnded = true
    if heldBackCount > 0 { receiving.promised = [] }
    return perform(receiving.assembler.drop()) + flush() + finishIfDone()
  }
}

extension AppendOutcome {
  /// The newest kept commit of each chain.
  fileprivate var newest: [CommitID] {
    var cover = CommitCover()
    for commit in kept { cover.insert(commit.id, after: commit.predecessor) }
    return cover.frontier.heads
  }
}
