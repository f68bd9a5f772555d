package import VarveCore

/// A position at which a space and a log were equal, and the commits that both had there.
package struct SpaceMeeting: Sendable, Hashable {
  package let position: SpacePosition
  package let frontier: Frontier
}

/// A synchronisation of a log with a space elsewhere.
///
/// The client sends all requests. Each can be repeated: the space keeps no state between them,
/// and what it acknowledged is on its disk. So after any failure the exchange starts anew, and
/// nothing that arrived is sent again.
package struct SpaceExchange {
  let log: any CommitLog
  let transport: any SpaceTransport
  let limits: SyncLimits
  /// The address of the space, to which the log is bound from the first exchange on; nil if it is
  /// not to be bound.
  private let address: String?

  var report = SyncReport()
  var progress = SyncProgress()
  var outgoing = OutgoingCommits()
  /// Whether everything that the space could give is here.
  private var isComplete = true
  /// A place of the space, up to which its commits are here.
  var place: SpacePosition?
  /// Whether the space is known to take packed commits.
  var takesPacked = false

  package init(
    _ log: any CommitLog,
    _ transport: any SpaceTransport,
    at address: String? = nil,
    limits: SyncLimits = SyncLimits()
  ) {
    self.log = log
    self.transport = transport
    self.address = address
    self.limits = limits
  }

  /// The outcome of an exchange.
  package struct Outcome: Sendable {
    package var report: SyncReport
    /// The space; nil if this side does not belong to it yet.
    package var space: SpaceID?
    /// Where both sides were equal; nil if one of them lacks something.
    package var meeting: SpaceMeeting?
  }

  /// Runs until both logs have what the other had.
  ///
  /// - Parameters:
  ///   - meeting: where both sides were equal once, if that is known. Then only what is new since
  ///     is exchanged, unless the space does not know the place; else both logs are compared.
  ///   - progress: called after each part.
  /// - Throws: the errors of the transport and of the log. Received commits are kept.
  package mutating func run(
    after meeting: SpaceMeeting? = nil,
    progress show: (SyncProgress) -> Void = { _ in }
  ) async throws -> Outcome {
    guard try await exchangeMembership() else { return Outcome(report: report) }
    if let meeting, try await follow(meeting, show) {
      try await send(show)
    } else {
      let compared = try await compare()
      place = compared.end
      takesPacked = compared.takesPacked
      outgoing.cover = CommitCover(compared.common.heads)
      let refusal = try await sendIfAllowed(show)
      try await fetch(show)
      try await requireArrived(compared.promised)
      if let refusal { throw refusal }
    }
    let isEqual = isComplete && outgoing.isComplete
    return Outcome(
      report: report,
      space: theSpace,
      meeting: isEqual
        ? place.map { SpaceMeeting(position: $0, frontier: outgoing.cover.frontier) } : nil
    )
  }

  /// Exchanges memberships, if this log is one of a sealed space.
  ///
  /// - Returns: whether commits may follow.
  private func exchangeMembership() async throws -> Bool {
    guard var exchange = SealedExchange(log) else { return true }
    while !exchange.hasEnded {
      try Task.checkCancellation()
      try await exchange.take(transport.sealed(exchange.request()))
    }
    return exchange.mayExchangeCommits
  }

  // MARK: Comparing

  /// What both sides say of themselves.
  private struct Comparison {
    /// The place after the last arrival there.
    var end: SpacePosition
    /// What both sides have.
    var common: Frontier
    /// The heads that the space named and this side lacks.
    var promised: [CommitID]
    /// Whether the space takes packed commits.
    var takesPacked: Bool
  }

  /// Compares the heads of both sides, and searches the chains that differ.
  private func compare() async throws -> Comparison {
    let replica = try await log.replica()
    let ours = try await log.frontier().heads
    var heldThere: Set<CommitID> = []
    var theirs: [CommitID] = []
    var end: SpacePosition?
    var takesPacked = false
    var askedCount = 0
    var headCount = 0
    repeat {
      let asked = Array(ours[min(askedCount, ours.count)...].prefix(limits.headCount))
      let answer = try await ask(asked, firstHead: theirs.count, replica)
      end = end ?? answer.end
      takesPacked = answer.hello.readsPacked
      heldThere.formUnion(zip(asked, answer.have).filter(\.1).map(\.0))
      theirs += answer.heads
      headCount = answer.headCount
      askedCount += asked.count
      if answer.heads.isEmpty, askedCount >= ours.count { break }
    } while askedCount < ours.count || theirs.count < headCount
    let heldHere = try await log.held(among: theirs)
    var common = heldThere.union(heldHere)
    let open = ChainSearch.open(
      ours: ours,
      theirs: theirs,
      heldThere: heldThere,
      heldHere: heldHere
    )
    for var search in open {
      while !search.questions.isEmpty {
        let asked = try await log.predecessors(of: search.head, at: search.questions)
        let answer = try await ask(asked, firstHead: .max, replica)
        search.learn(asked: asked, held: Set(zip(asked, answer.have).filter(\.1).map(\.0)))
      }
      if let id = search.common { common.insert(id) }
    }
    guard let end else { preconditionFailure("at least one question is asked") }
    return Comparison(
      end: end,
      common: Frontier(common),
      promised: theirs.filter { !heldHere.contains($0) },
      takesPacked: takesPacked
    )
  }

  private func ask(
    _ asked: [CommitID],
    firstHead: Int,
    _ replica: ReplicaID
  ) async throws -> CompareAnswer {
    let request = CompareRequest(replica: replica, asked: asked, firstHead: min(firstHead, 1 << 30))
    let answer = try await transport.compare(request)
    guard answer.have.count == asked.count else {
      throw Frame.damaged("it replies about commits that were not asked about")
    }
    try await require(answer.end.space, isAdmin: answer.isAdmin)
    return answer
  }

  /// Throws unless the space is the one that was met under its address before. Nothing is sent to
  /// another.
  ///
  /// - Parameter isAdmin: whether the log's owner is an admin of the space, if it says so. What the
  ///   space would not take is then refused before it is written.
  private func require(_ space: SpaceID, isAdmin: Bool? = nil) async throws {
    guard let address else { return }
    let known = try await log.boundSpace(at: address)
    guard let known, known != space else {
      return try await log.bind(space, at: address, isAdmin: isAdmin)
    }
    throw VarveError(
      .notFound,
      "the space that this store was synchronised with was deleted: another space has its name",
      at: address,
      remedy: "Nothing was sent. Synchronise a new store with the other space, or use another name."
    )
  }

  /// The space of this exchange, for which all that follows is.
  var theSpace: SpaceID {
    guard let place else { preconditionFailure("both ways begin with a place") }
    return place.space
  }

  // MARK: Fetching

  private mutating func fetch(_ show: (SyncProgress) -> Void) async throws {
    while true {
      let covered = outgoing.cover.frontier
      // What was left out is not covered, so the next part has it again.
      report.waiting = []
      var part = ArrivingPart(log, at: address, limits: limits)
      try await transport.want(.beyond(covered), of: theSpace) { try await part.add($0) }
      let head = try await finish(&part, show)
      for parked in head.parked { outgoing.cover.insert(parked.commit) }
      for id in head.awaited { outgoing.cover.insert(id) }
      // A commit that changes on the way would be asked for without end.
      guard head.hasMore, part.didProgress, outgoing.cover.frontier != covered else { return }
    }
  }

  /// Throws if a head that the space named did not arrive, and nothing gives a reason for that. A
  /// hash names one commit, but cannot show that it is one that the space named.
  private func requireArrived(_ promised: [CommitID]) async throws {
    guard isComplete, !promised.isEmpty else { return }
    let missing = Set(promised).subtracting(try await log.held(among: promised))
    guard let one = missing.min() else { return }
    throw VarveError.notSent(one, by: "space")
  }

  /// Fetches what arrived since a meeting. Returns false if the space does not know the place.
  private mutating func follow(
    _ meeting: SpaceMeeting,
    _ show: (SyncProgress) -> Void
  ) async throws -> Bool {
    try await require(meeting.position.space)
    var next = meeting.position
    outgoing.cover = CommitCover(meeting.frontier.heads)
    while true {
      var part = ArrivingPart(log, at: address, limits: limits)
      guard try await transport.arrivals(after: next, { try await part.add($0) }) else {
        return false
      }
      let head = try await finish(&part, show)
      try await require(head.next.space)
      next = head.next
      place = next
      takesPacked = head.takesPacked
      if !head.hasMore { return true }
    }
  }

  private mutating func finish(
    _ part: inout ArrivingPart,
    _ show: (SyncProgress) -> Void
  ) async throws -> PartHead {
    let head = try await part.finish()
    report.add(part.outcome.report)
    for kept in part.outcome.kept { outgoing.cover.insert(kept.id, after: kept.predecessor) }
    for parked in part.outcome.parked {
      if outgoing.block(parked.commit) { report.parked.append(parked) }
      outgoing.cover.insert(parked.commit)
    }
    report.parkedThere += head.parked.filter { !report.parkedThere.contains($0) }
    for needed in part.outcome.leftOut { report.note(waitingFor: needed) }
    if !part.outcome.parked.isEmpty || !part.outcome.leftOut.isEmpty || !head.parked.isEmpty
      || !head.awaited.isEmpty
    {
      isComplete = false
    }
    progress.receivedCount += part.outcome.kept.count
    progress.toReceiveCount = progress.receivedCount
    show(progress)
    return head
  }
}
