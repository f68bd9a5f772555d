package import VarveCore

/// Replies to the requests of a space's clients. It keeps no state between requests, so any
/// process that has the log can reply to any request, and to a repeated one.
package struct SpaceResponder: Sendable {
  /// A part of the commits: its head, then the records.
  package struct Part: Sendable {
    package var head: PartHead
    package var records: [UInt8]
    /// A commit that is too large for the records; its blocks are read one by one.
    package var large: Commit?
  }

  private let log: any CommitLog
  private let limits: SyncLimits

  package init(_ log: any CommitLog, limits: SyncLimits = SyncLimits()) {
    self.log = log
    self.limits = limits
  }

  /// Returns the place after the last arrival.
  package func end() async throws -> SpacePosition {
    SpacePosition(space: try await log.space(), position: try await log.end())
  }

  /// Returns which of the client's commits are here, and the other heads of the space.
  package func compare(_ request: CompareRequest) async throws -> CompareAnswer {
    // The position is read first, so commits that arrive meanwhile are after it.
    let end = try await end()
    let heads = try await log.frontier().heads
    let held = try await log.held(among: request.asked)
    let first = min(request.firstHead, heads.count)
    return CompareAnswer(
      hello: Hello(replica: try await log.replica(), headCount: heads.count),
      end: end,
      headCount: heads.count,
      heads: Array(heads[first...].prefix(limits.headCount)),
      have: request.asked.map(held.contains)
    )
  }

  /// Returns commits that arrived after a position, in order of arrival; nil if this space never
  /// had the position.
  ///
  /// - Parameter packed: whether the client reads packed commits.
  package func part(after hint: SpacePosition, packed: Bool) async throws -> Part? {
    let space = try await log.space()
    guard space == hint.space,
      let (items, next) = try await log.arrivals(
        after: hint.position,
        atMost: limits.part,
        wholeUpTo: limits.whole
      )
    else { return nil }
    let end = try await log.end()
    var gathered = Gathered(packs: packed)
    gathered.add(items)
    return gathered.part(
      next: SpacePosition(space: space, position: next),
      hasMore: next.number < end.number
    )
  }

  /// Returns commits that a client wants.
  ///
  /// - Parameter packed: whether the client reads packed commits.
  package func part(_ request: WantRequest, packed: Bool) async throws -> Part {
    let end = try await end()
    var gathered = Gathered(packs: packed)
    switch request {
    case .beyond(let frontier):
      let items = try await log.items(
        beyond: frontier,
        atMost: limits.part,
        wholeUpTo: limits.whole,
        outline: nil
      )
      gathered.add(items)
      return gathered.part(next: end, hasMore: gathered.itemCount > 0)
    case .ranges(let ranges):
      for range in ranges {
        let (items, next) = try await log.items(
          of: range,
          from: 0,
          atMost: limits.part,
          wholeUpTo: limits.whole
        )
        gathered.add(items)
        let isWhole = next > range.last.sequence
        if !isWhole || gathered.large != nil || gathered.byteCount >= limits.part {
          return gathered.part(next: end, hasMore: true)
        }
      }
      return gathered.part(next: end, hasMore: false)
    }
  }

  /// Returns blocks of a commit from an index on, as records; none after the last.
  ///
  /// - Returns: the records, and the index to continue at.
  package func blocks(
    of id: CommitID,
    from index: Int
  ) async throws -> (records: [UInt8], next: Int) {
    let blocks = try await log.blocks(of: id, from: index, atMost: limits.part)
    var writer = CommitStreamWriter()
    for block in blocks { writer.add(block) }
    return (writer.take(), index + blocks.count)
  }

  /// Replies to a round of an exchange of memberships.
  ///
  /// - Parameter mayBegin: whether the client may give a relay its first membership.
  /// - Throws: `unsupported` if the space is not sealed, `invalidArgument` if the request cannot be read.
  package func sealed(_ request: [UInt8], mayBegin: Bool) async throws -> [UInt8] {
    guard let sealing = log.sealing else {
      throw VarveError(
        .unsupported,
        "the space is an open one, and the store belongs to a sealed one",
        at: "space",
        remedy: "Make a relay: varve space create URL --relay FILE."
      )
    }
    do {
      return try await log.atDesk { try sealing.reply(to: request, mayBegin: mayBegin, $0) }
    } catch let error as VarveError where error.code == .damaged {
      throw VarveError(
        .invalidArgument,
        "the membership cannot be read: \(error.message)",
        at: error.place.map { "body, \($0)" } ?? "body",
        remedy: "Synchronise again."
      )
    }
  }

  /// Takes in commits whose records arrive in pieces, on behalf of ``LogCaller/current``.
  package func intake() async throws -> SpaceIntake {
    SpaceIntake(log, limits: limits, from: try await end())
  }

  /// Throws unless this is the space that a request is for.
  ///
  /// - Throws: `notFound` if it has another id.
  package func require(_ space: SpaceID) async throws {
    guard try await log.space() != space else { return }
    throw VarveError(
      .notFound,
      "the request is for a space that ended: another has its name",
      at: "space \(space.text)",
      remedy: "Nothing was sent or taken. Synchronise a new store with the other space."
    )
  }
}

/// Items of a log on their way into a part.
private struct Gathered {
  private let packs: Bool
  private var writer: CommitStreamWriter
  private var commitCount = 0
  private var parked: [Parked] = []
  private var awaited: [CommitID] = []
  private(set) var large: Commit?
  private(set) var itemCount = 0

  init(packs: Bool) {
    self.packs = packs
    writer = CommitStreamWriter(packs: packs)
  }

  var byteCount: Int { writer.count }

  mutating func add(_ items: [LogItem]) {
    itemCount += items.count
    for item in items {
      switch item {
      case .commit(let commit):
        writer.add(commit)
        commitCount += 1
      case .large(let commit):
        writer.add(commit)
        commitCount += 1
        large = commit
        // Its blocks come next.
        return
      case .damaged(let id, let error): parked.append(Parked(commit: id, error: error))
      case .awaited(let id): awaited.append(id)
      }
    }
  }

  mutating func part(next: SpacePosition, hasMore: Bool) -> SpaceResponder.Part {
    let head = PartHead(
      next: next,
      hasMore: hasMore,
      commitCount: commitCount,
      parked: parked,
      awaited: awaited,
      takesPacked: packs
    )
    return SpaceResponder.Part(head: head, records: writer.take(), large: large)
  }
}

/// Commits on their way into a space.
package struct SpaceIntake {
  private var intake: RecordIntake
  private var performer: SyncPerformer
  /// The outcome so far.
  private var outcome = AppendOutcome()
  /// The first of the commits that cannot be added.
  private var parked: [Parked] = []
  /// How many cannot be added.
  private var parkedCount = 0
  private let limits: SyncLimits

  private let log: any CommitLog
  private let from: SpacePosition

  init(_ log: any CommitLog, limits: SyncLimits, from: SpacePosition) {
    self.log = log
    self.from = from
    self.limits = limits
    intake = RecordIntake(limits: limits)
    performer = SyncPerformer(log, limits: limits)
  }

  /// The number of commits that arrived completely.
  package var completeCount: Int { intake.completeCount }
  /// The number of commits that were added.
  package var addedCount: Int { outcome.report.addedCount }

  /// Takes in bytes.
  ///
  /// - Throws: `invalidArgument` if they are no records: what a client sent is damaged, not the
  ///   space.
  package mutating func add(_ bytes: some Collection<UInt8>) async throws {
    let actions: [SyncAction]
    do {
      actions = try intake.add(bytes)
    } catch let error as VarveError where error.code == .damaged {
      throw VarveError(
        .invalidArgument,
        "the commits cannot be read: \(error.message)",
        at: error.place.map { "body, \($0)" } ?? "body",
        remedy: "Synchronise again."
      )
    }
    try await performer.perform(actions, into: &outcome)
    gatherParked()
  }

  /// Keeps the first commits that cannot be added, and counts the others: a client can send any
  /// number of them.
  private mutating func gatherParked() {
    let new = outcome.parked + intake.takeParked()
    outcome.parked = []
    parkedCount += new.count
    parked += new.prefix(max(0, limits.namedParkedCount - parked.count))
  }

  /// Ends, and returns the outcome. A commit of which not everything arrived is not added.
  package mutating func finish() async throws -> TakenAnswer {
    try await performer.perform(intake.finish(), into: &outcome)
    gatherParked()
    outcome.parked = parked
    var answer = TakenAnswer(outcome)
    answer.unnamedParkedCount = parkedCount - parked.count
    let end = try await log.end()
    if end.number == from.position.number + Int64(outcome.report.addedCount) {
      answer.from = from
      answer.to = SpacePosition(space: from.space, position: end)
    }
    return answer
  }
}
