import VarveCore

/// The stream of commits from the other side.
struct Receiving: Sendable {
  var reader = CommitStreamReader()
  /// A commit whose blocks are still arriving.
  var open: OpenCommit?
  /// Complete commits that are not added yet.
  var inbox: [Commit] = []
  var inboxByteCount = 0
  /// The number of additions in progress.
  var appendCount = 0
  var receivedByteCount = 0
  var creditedByteCount = 0
  var keptCount = 0
  var waiting: CausalBuffer
  var questions: [[CommitID]] = []
  var hasEnded = false
  /// The state of the request for awaited commits.
  var wanting = Wanting.notYet

  init(waiting: CausalBuffer) { self.waiting = waiting }

  /// A commit, as far as it has arrived.
  struct OpenCommit: Sendable {
    var head: Commit
    var blocks: [Block] = []
    var blockCount = 0
    var byteCount: Int
    /// Whether it grew so large that it is staged.
    var isStaged = false
  }
}

extension SyncSession {
  mutating func received(_ bytes: [UInt8]) throws -> [SyncAction] {
    try count(bytes.count)
    receiving.reader.add(bytes)
    var actions: [SyncAction] = []
    while let record = try receiving.reader.next() {
      switch record {
      case .header(let commit): actions += begin(commit)
      case .unreadable(let id, let error): actions += dropOpen() + refuse(id, error)
      case .block(let block): actions += add(block)
      }
    }
    return actions + credit()
  }

  /// Handles a commit that is handed over.
  mutating func handed(_ commit: Commit) throws -> [SyncAction] {
    let byteCount = commit.byteCount
    try count(byteCount)
    let actions = dropOpen()
    receiving.inbox.append(commit)
    receiving.inboxByteCount += byteCount
    return actions + credit()
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
    let added = receiving.inboxByteCount >= limits.append ? flush() : []
    return uncreditedByteCount >= limits.window / 4 ? added + acknowledge([]) : added
  }

  private var uncreditedByteCount: Int {
    receiving.receivedByteCount - receiving.creditedByteCount
  }

  private mutating func begin(_ commit: Commit) -> [SyncAction] {
    let actions = dropOpen()
    receiving.open = .init(head: commit, byteCount: commit.headerBytes.count)
    return actions + closeIfComplete()
  }

  private mutating func add(_ block: Block) -> [SyncAction] {
    guard var open = receiving.open else { return [] }
    open.blockCount += 1
    open.byteCount += block.byteCount
    var actions: [SyncAction] = []
    if open.isStaged {
      actions = [.stage(.block(block))]
    } else {
      open.blocks.append(block)
      if open.byteCount > limits.whole {
        actions = flush() + [.stage(.header(open.head.header))]
        actions += open.blocks.map { .stage(.block($0)) }
        open.isStaged = true
        open.blocks = []
      }
    }
    receiving.open = open
    return actions + closeIfComplete()
  }

  /// Hands on the open commit if it is complete.
  private mutating func closeIfComplete() -> [SyncAction] {
    guard let open = receiving.open, open.blockCount >= open.head.header.blockCount else {
      return []
    }
    receiving.open = nil
    if open.isStaged {
      receiving.appendCount += 1
      return [.appendStaged(open.head.id)]
    }
    receiving.inbox.append(open.head.with(open.blocks))
    receiving.inboxByteCount += open.byteCount
    return []
  }

  /// Parks the open commit, whose remaining blocks will not arrive.
  private mutating func dropOpen() -> [SyncAction] {
    guard let open = receiving.open else { return [] }
    receiving.open = nil
    let error = open.head.damaged("\(open.blockCount) of its blocks came, not all")
    return (open.isStaged ? [.unstage] : []) + refuse(open.head.id, error)
  }

  /// Records a commit that cannot be added, and notifies the other side.
  private mutating func refuse(_ id: CommitID, _ error: VarveError) -> [SyncAction] {
    let parked = Parked(commit: id, error: error)
    guard !report.parkedThere.contains(where: { $0.commit == id }) else { return [] }
    report.parked.append(parked)
    return message(.parked(parked))
  }

  mutating func flush() -> [SyncAction] {
    guard !receiving.inbox.isEmpty else { return [] }
    defer {
      receiving.inbox = []
      receiving.inboxByteCount = 0
    }
    receiving.appendCount += 1
    return [.append(receiving.inbox)]
  }

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
    report.receivedCount += outcome.report.addedCount
    report.withheldCount += outcome.report.withheldCount
    report.died += outcome.report.died
    report.replacedReplica = outcome.report.replacedReplica ?? report.replacedReplica
    report.completedCount += outcome.report.completedCount
    progress.completedCount = report.completedCount
    var actions: [SyncAction] = []
    for parked in outcome.parked { actions += refuse(parked.commit, parked.error) }
    for (commit, needed) in outcome.waiting { receiving.waiting.add(commit, needing: needed) }
    for needed in outcome.leftOut { receiving.waiting.count(needing: needed) }
    for kept in outcome.kept { sending.cover.insert(kept.id, after: kept.predecessor) }
    // The other side may have finished comparing before this one.
    if greeting.stage != .done { greeting.common.formUnion(outcome.kept.map(\.id)) }
    let ready = receiving.waiting.release(outcome.kept.map(\.id))
    if !ready.isEmpty {
      receiving.appendCount += 1
      actions.append(.append(ready))
    }
    return actions + acknowledge(outcome.newest) + finishIfDone()
  }

  mutating func ended() throws -> [SyncAction] {
    try demand(phase == .exchanging && !receiving.hasEnded, "it ends at the wrong time")
    try demand(receiving.reader.pendingByteCount == 0, "its commits end in the middle of one")
    receiving.hasEnded = true
    return dropOpen() + flush() + finishIfDone()
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
