import VarveCore

/// The intake of arrivals from the home, which decides which commits are withheld.
struct HomeArrivals {
  /// The commits that arrived.
  private(set) var commits: Set<CommitID> = []
  /// The same, in the order of their arrival.
  private(set) var ordered: [CommitID] = []
  /// The commits that the home still withholds after the last arrival.
  private(set) var withheld: Set<CommitID> = []
  /// The records of a sealed space that arrived.
  private(set) var records: ArrivedRecords
  private var intake: Intake
  private var hasReleased = false
  private var position: HomePosition
  private let session: Session

  /// Begins an intake.
  ///
  /// - Parameter position: the position after which the arrivals begin; nil for the first.
  init(_ session: Session, after position: HomePosition?) {
    self.session = session
    self.position = position ?? HomePosition(incarnation: 0)
    intake = Intake(session, .home, toleranceMilliseconds: 0)
    records = ArrivedRecords(session.log, isFromBeginning: position == nil)
  }

  mutating func add(_ part: HomePart) throws {
    switch part {
    case .part(let part): try intake.add(part)
    case .record(let bytes): try records.add(bytes)
    case .arrival(let arrival):
      try intake.endCommit()
      position.advance(past: arrival)
      switch arrival.kind {
      case .commit:
        try note(arrival)
        intake.verdict = .takesEffect
        // If the home was set back, the index may have this commit as a withheld one.
        hasReleased = try session.release(arrival.commit) || hasReleased
      case .withheldCommit:
        try note(arrival)
        withheld.insert(arrival.commit)
        intake.verdict = .isWithheld
      case .release:
        withheld.remove(arrival.commit)
        hasReleased = try session.release(arrival.commit) || hasReleased
      case .completion: break
      case .record: records.begin(arrival)
      }
    }
  }

  private mutating func note(_ arrival: HomeArrival) throws {
    try records.load()
    commits.insert(arrival.commit)
    ordered.append(arrival.commit)
    intake.subject = arrival.principal
  }

  /// Ends the intake.
  ///
  /// - Throws: `damaged` if the home's head is not that of its arrivals.
  mutating func finish(at head: HomeHead) throws {
    _ = try intake.finish()
    guard position.of(incarnation: head.position.incarnation) == head.position else {
      throw session.connection.damaged("the head of the log's home is not that of its arrivals")
    }
    if hasReleased { try session.endReleases() }
    // The arrivals may include commits of this index's own chain.
    try session.log.reload()
  }
}
