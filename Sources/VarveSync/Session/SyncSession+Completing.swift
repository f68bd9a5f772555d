import VarveCore

/// Completes partially replicated commits, after everything new has arrived.
extension Receiving {
  enum Wanting: Sendable {
    case notYet
    /// The log is being searched for awaited commits.
    case finding
    /// The other side was asked; `next` is the place to continue at.
    case asked(next: Int64?)
    /// The other side has sent everything it could, and some of it is not on the disk yet.
    case given(next: Int64?)
    case done
  }

  var isAsked: Bool { if case .asked = wanting { true } else { false } }
}

extension Receiving.Wanting {
  /// Whether received commits are new, not completions of known ones.
  var isBefore: Bool {
    switch self {
    case .notYet, .finding: true
    case .asked, .given, .done: false
    }
  }
}

extension SyncSession {
  // MARK: What is wanted here

  mutating func expect(_ horizon: Horizon) throws -> [SyncAction] {
    try demand(
      wantsOutlines && phase == .exchanging && receiving.receivedByteCount == 0,
      "it sends outlines that were not requested"
    )
    return [.expectOutlines(horizon)]
  }

  /// Asks for the awaited commits once everything else is on the disk; nil if that was done, or
  /// cannot be.
  mutating func findAwaitedIfDue() -> [SyncAction]? {
    guard receiving.hasEnded, receiving.appendCount == 0 else { return nil }
    switch receiving.wanting {
    case .notYet:
      guard greeting.hello?.givesWhole == true else {
        receiving.wanting = .done
        return nil
      }
      receiving.wanting = .finding
      return [.findAwaited(from: 0)]
    case .given(nil):
      receiving.wanting = .done
      return nil
    case .given(let next?):
      receiving.wanting = .finding
      return [.findAwaited(from: next)]
    case .finding, .asked: return []
    case .done: return nil
    }
  }

  mutating func want(_ awaited: AwaitedCommits) -> [SyncAction] {
    guard !awaited.ranges.isEmpty else {
      receiving.wanting = .done
      return finishIfDone()
    }
    receiving.wanting = .asked(next: awaited.next)
    return message(.want(awaited.ranges))
  }

  mutating func given() throws -> [SyncAction] {
    guard case .asked(let next) = receiving.wanting else {
      throw Frame.damaged("it sends commits that were not requested")
    }
    try demand(receiving.assembler.pendingByteCount == 0, "its commits end in the middle of one")
    receiving.wanting = .given(next: next)
    // A commit that still lacks blocks remains awaited.
    return counted(receiving.assembler.finish()) + finishIfDone()
  }

  // MARK: What the other side wants

  /// Handles the other side's request for complete commits.
  mutating func wanted(_ ranges: [CommitRange]) throws -> [SyncAction] {
    try demand(
      sending.hasEnded && !sending.isGiving && !hasHeardGoodbye,
      "it requests commits at the wrong time"
    )
    try demand(ranges.count <= Message.maximumQuestionCount, "it requests too much at once")
    sending.wanted = ranges
    sending.nextWanted = 0
    sending.isGiving = true
    return pump()
  }

  /// Handles the commits read for such a request.
  mutating func gave(_ items: [LogItem], next: Int64) -> [SyncAction] {
    sending.isReading = false
    for item in items {
      switch item {
      case .commit(let commit): put(commit)
      case .large(let commit):
        sending.writer.add(commit)
        sending.large = (commit, 0)
      case .damaged, .awaited: continue
      }
    }
    sending.nextWanted = next
    if let first = sending.wanted.first, next > first.last.sequence {
      sending.wanted.removeFirst()
      sending.nextWanted = 0
    }
    return pump()
  }
}
