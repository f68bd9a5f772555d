package import VarveCore

/// One side of a synchronisation: a state machine without input, output, clock or randomness.
///
/// Both sides run the same machine. Each method takes an event and returns the actions to perform,
/// in order; the outcome of an action is the next event. See `Documentation/Protocol.md`.
package struct SyncSession: Sendable {
  enum Phase: Sendable { case new, greeting, exchanging, ended }

  let limits: SyncLimits
  let tag: UInt64
  /// Whether commits are handed over as they are, not as bytes: both sessions are in one process.
  let handsOver: Bool
  /// Whether this side sends the commits that the other side lacks.
  let sendsCommits: Bool
  /// Whether this side sends and reads packed commits, if the other side does too.
  let packs: Bool
  var phase = Phase.new
  var nextNumber: UInt64 = 0
  var theirTag: UInt64?
  var theirNumber: UInt64 = 0

  var greeting = Greeting()
  var sending: Sending
  var receiving: Receiving
  /// The report so far.
  package var report = SyncReport()
  /// The progress so far.
  package var progress = SyncProgress()
  var wantsOutlines = false
  var hasSaidGoodbye = false
  var hasHeardGoodbye = false

  /// Makes a session that has not started.
  ///
  /// - Parameters:
  ///   - tag: a number that no other session is likely to have.
  ///   - handsOver: whether the other session is in this process, and takes commits as they are.
  ///   - sendsCommits: whether this side sends the commits that the other side lacks.
  ///   - packs: whether this side sends and reads packed commits, as versions since 2026 do.
  package init(
    tag: UInt64,
    limits: SyncLimits = SyncLimits(),
    handsOver: Bool = false,
    sendsCommits: Bool = true,
    packs: Bool = true
  ) {
    precondition(!handsOver || limits.whole <= limits.window, "the window has room for a commit")
    self.tag = tag
    self.limits = limits
    self.handsOver = handsOver
    self.sendsCommits = sendsCommits
    self.packs = packs
    sending = Sending()
    receiving = Receiving(limits: limits)
  }

  /// Whether the session has ended.
  package var isOver: Bool { phase == .ended }

  /// Starts the session.
  ///
  /// - Parameters:
  ///   - replica: the replica that writes here.
  ///   - summits: the newest commits of chains that stand for all.
  ///   - frontier: the newest commit of every chain here.
  ///   - wantsOutlines: whether commits should arrive as outlines first, and be completed
  ///     afterwards.
  package mutating func start(
    replica: ReplicaID,
    summits: [CommitID],
    frontier: Frontier,
    wantsOutlines: Bool = false
  ) -> [SyncAction] {
    precondition(phase == .new, "a session starts once")
    phase = .greeting
    self.wantsOutlines = wantsOutlines
    return greet(replica, summits, frontier.heads)
  }

  /// Handles a received frame.
  package mutating func receive(_ bytes: [UInt8]) -> [SyncAction] {
    guard !isOver else { return [] }
    do {
      let frame = try Frame(encoded: bytes)
      guard try accept(frame), let message = try Message(frame) else { return [] }
      return try receive(message)
    } catch {
      return fail(error)
    }
  }

  /// Handles a commit that the other session hands over.
  package mutating func receive(_ commit: Commit) -> [SyncAction] {
    guard !isOver else { return [] }
    do {
      return try handed(commit)
    } catch {
      return fail(error)
    }
  }

  /// Handles the outcome of an action.
  package mutating func handle(_ event: SyncEvent) -> [SyncAction] {
    guard !isOver else { return [] }
    switch event {
    case .lookedUp(let ids, .heads): return found(ids)
    case .lookedUp(let ids, .answer): return answer(ids)
    case .lookedUp(let ids, .rest): return found(rest: ids)
    case .lookedUp(let ids, .promised): return found(promised: ids)
    case .causalClosure(let frontier): return learn(common: frontier)
    case .predecessors(let ids): return ask(ids)
    case .counted(let count): return planned(count)
    case .outlineHorizon(let horizon): return outlining(upTo: horizon)
    case .read(let items): return read(items)
    case .readRange(let items, let next): return gave(items, next: next)
    case .foundAwaited(let awaited): return want(awaited)
    case .readBlocks(let blocks, let error): return read(blocks, error)
    case .appended(let outcome): return appended(outcome)
    }
  }

  /// Handles the end of the connection.
  package mutating func closed() -> [SyncAction] {
    guard !isOver else { return [] }
    phase = .ended
    return [
      .unstage,
      .fail(
        VarveError(
          .inputOutput,
          "the connection to the other store ended early",
          remedy: "Synchronise again: received commits are kept."
        )
      ),
    ]
  }

  /// Handles a failed action.
  package mutating func fail(_ error: any Error) -> [SyncAction] {
    guard !isOver else { return [] }
    let error = error as? VarveError ?? VarveError(.inputOutput, "\(error)")
    let farewell = message(.error(code: error.code.rawValue, message: error.message))
    phase = .ended
    return farewell + [.unstage, .fail(error)]
  }

  /// Returns whether a frame is the next one. Frames of another session and repeated frames are
  /// ignored. A gap ends the session, because a lost frame is not sent again.
  private mutating func accept(_ frame: Frame) throws -> Bool {
    guard let theirTag else {
      guard frame.kind == Frame.Kind.hello.rawValue, frame.number == 0 else { return false }
      guard frame.session != tag else { throw Frame.damaged("it is one of this side's own") }
      self.theirTag = frame.session
      theirNumber = 1
      return true
    }
    guard frame.session == theirTag, frame.number >= theirNumber else { return false }
    guard frame.number == theirNumber else {
      throw Frame.damaged("frames \(theirNumber) to \(frame.number - 1) are missing")
    }
    theirNumber += 1
    return true
  }

  private mutating func receive(_ message: Message) throws -> [SyncAction] {
    switch message {
    case .hello(let hello): return try greeted(hello)
    case .heads(let ids): return try heard(ids)
    case .have(let bits): return try heard(have: bits)
    case .rest(let ids, let isLast): return try heard(rest: ids, isLast: isLast)
    case .ask(let ids): return try asked(ids)
    case .answer(let bits): return try answered(bits)
    case .plan(let count):
      progress.toReceiveCount = count
      return []
    case .outlines(let horizon): return try expect(horizon)
    case .want(let ranges): return try wanted(ranges)
    case .given: return try given()
    case .data(let bytes): return try received(bytes)
    // The commits on the other side's disk are of use to other implementations: this one asks for
    // them when it synchronises next.
    case .ack(let byteCount, _, _): return try acknowledged(byteCount)
    case .end(_, let heldBackCount): return try ended(holdingBack: heldBackCount)
    case .parked(let parked):
      report.parkedThere.append(parked)
      sending.outgoing.block(parked.commit)
      return []
    // What waits there is of use to other implementations: this one reports its own side.
    case .waiting: return []
    case .error(let code, let text):
      phase = .ended
      let known = VarveError.Code(rawValue: code) ?? .inputOutput
      let error = VarveError(known, "the other store ended the synchronisation: \(text)")
      return [.unstage, .fail(error)]
    case .goodbye:
      hasHeardGoodbye = true
      return finishIfDone()
    }
  }

  /// Returns the action that sends a message.
  mutating func message(_ message: Message) -> [SyncAction] {
    let frame = Frame(session: tag, number: nextNumber, kind: message.kind, body: message.body)
    nextNumber += 1
    return [.send(frame.encoded)]
  }

  /// Throws if a message is not allowed in the current state.
  func demand(_ isRight: Bool, _ what: String) throws {
    guard isRight else { throw Frame.damaged(what) }
  }
}
