import VarveCore

/// The stream of commits to the other side.
struct Sending: Sendable {
  var outgoing = OutgoingCommits()
  var writer = CommitStreamWriter()
  /// Commits that are to be handed over, before any bytes.
  var outbox: ArraySlice<Commit> = []
  /// Bytes that were written and not sent yet.
  var bytes: ArraySlice<UInt8> = []
  var sentByteCount = 0
  var acknowledgedByteCount = 0
  /// The large commit in progress, and the index of its next block.
  var large: (commit: Commit, index: Int)?
  var isReading = false
  var isAllRead = false
  var hasEnded = false
  /// The horizon up to which outlines are sent, if any are.
  var outline: Horizon?
  /// The ranges that the other side requests complete, and the next number of the first range.
  var wanted: [CommitRange] = []
  var nextWanted: Int64 = 0
  var isGiving = false
}

extension SyncSession {
  mutating func planned(_ count: Int) -> [SyncAction] {
    progress.toSendCount = count
    let plan = message(.plan(commitCount: count))
    guard greeting.hello?.wantsOutlines == true, count > 0 else { return plan + pump() }
    return plan + [.outlineHorizon]
  }

  /// Announces the horizon up to which commits are sent as outlines, if any are.
  mutating func outlining(upTo horizon: Horizon?) -> [SyncAction] {
    guard let horizon else { return pump() }
    sending.outline = horizon
    return message(.outlines(horizon)) + pump()
  }

  /// Handles commits read from the log.
  mutating func read(_ items: [LogItem]) -> [SyncAction] {
    sending.isReading = false
    var actions: [SyncAction] = []
    var isNew = false
    for item in items {
      guard let decision = sending.outgoing.decide(item, &report) else { continue }
      isNew = true
      switch decision {
      case .send(let commit): send(commit)
      case .sendLarge(let commit):
        sending.writer.add(commit)
        sending.large = (commit, 0)
      case .park(let parked): actions += message(.parked(parked))
      case .holdBack: break
      }
      if sending.large != nil { break }
    }
    if !isNew { sending.isAllRead = true }
    return actions + pump()
  }

  /// Handles blocks of the large commit in progress.
  mutating func read(_ blocks: [Block], _ error: VarveError?) -> [SyncAction] {
    sending.isReading = false
    guard let (commit, index) = sending.large else { return [] }
    for block in blocks { sending.writer.add(block) }
    sending.large?.index = index + blocks.count
    if index + blocks.count >= commit.header.blockCount {
      sending.large = nil
      guard !sending.isGiving else { return pump() }
      sending.outgoing.cover.insert(commit)
      report.sentCount += 1
    } else if blocks.isEmpty {
      sending.large = nil
      // The other side sees that the commit is incomplete, and continues to await it.
      guard !sending.isGiving else { return pump() }
      let missing = commit.damaged("block \(index) cannot be read")
      let parked = sending.outgoing.park(commit.id, error ?? missing, &report)
      return message(.parked(parked)) + pump()
    }
    return pump()
  }

  private mutating func send(_ commit: Commit) {
    put(commit)
    sending.outgoing.cover.insert(commit)
    report.sentCount += 1
  }

  /// Puts a complete commit at the end of the stream.
  mutating func put(_ commit: Commit) {
    if handsOver { sending.outbox.append(commit) } else { sending.writer.add(commit) }
  }

  mutating func acknowledged(_ byteCount: Int) throws -> [SyncAction] {
    try demand(byteCount <= sending.sentByteCount, "it took in more than was sent")
    sending.acknowledgedByteCount = max(sending.acknowledgedByteCount, byteCount)
    return pump()
  }

  /// Sends as much as the window permits, reads more if there is room, and ends after all commits.
  mutating func pump() -> [SyncAction] {
    guard phase == .exchanging, !sending.hasEnded || sending.isGiving else { return [] }
    var actions = handOver()
    if sending.bytes.isEmpty { sending.bytes = sending.writer.take()[...] }
    while sending.outbox.isEmpty, !sending.bytes.isEmpty, outstandingByteCount < limits.window {
      let room = min(limits.frame, limits.window - outstandingByteCount)
      let part = sending.bytes.prefix(room)
      sending.bytes = sending.bytes.dropFirst(room)
      sending.sentByteCount += part.count
      actions += message(.data(Array(part)))
      if sending.bytes.isEmpty { sending.bytes = sending.writer.take()[...] }
    }
    progress.sentCount = report.sentCount
    report.sentByteCount = sending.sentByteCount
    guard sending.outbox.isEmpty, sending.bytes.isEmpty, !sending.isReading else { return actions }
    if sending.isGiving, sending.large == nil {
      guard let range = sending.wanted.first else {
        sending.isGiving = false
        return actions + message(.given)
      }
      sending.isReading = true
      return actions + [.readRange(range, from: sending.nextWanted, atMost: limits.part)]
    }
    if sending.isAllRead, !sending.isGiving {
      sending.hasEnded = true
      actions += message(
        .end(commitCount: report.sentCount, heldBackCount: report.heldBackCount)
      )
      return actions + finishIfDone()
    }
    sending.isReading = true
    return actions + [nextRead]
  }

  /// Hands over as many commits as the window permits.
  private mutating func handOver() -> [SyncAction] {
    var actions: [SyncAction] = []
    while let byteCount = sending.outbox.first?.byteCount,
      outstandingByteCount + byteCount <= limits.window
    {
      sending.sentByteCount += byteCount
      actions.append(.handOver(sending.outbox.removeFirst()))
    }
    return actions
  }

  private var nextRead: SyncAction {
    guard let (commit, index) = sending.large else {
      return .read(
        beyond: sending.outgoing.cover.frontier,
        atMost: limits.part,
        outline: sending.outline
      )
    }
    return .readBlocks(of: commit.id, from: index, atMost: limits.part)
  }

  /// The number of bytes sent and not acknowledged.
  package var outstandingByteCount: Int { sending.sentByteCount - sending.acknowledgedByteCount }
}
