import VarveCore

/// The conformance suite of homes: what every ``LogHome`` promises, without an index.
///
/// A rule throws a ``TrialFailure`` if it does not hold.
package struct HomeTrial {
  let subject: any HomeSubject
  let home: any LogHome
  var writer = ScriptedReplica(1)

  package init(_ subject: any HomeSubject) async throws {
    self.subject = subject
    home = try await subject.open()
  }

  /// The rules of the port, one a case.
  package enum Rule: String, CaseIterable, Sendable {
    case arrivalsAreReadInOrderFromEveryPosition
    case positionsAreTheSameForAllHosts
    case anUnknownPositionIsRefused
    case turnsExcludeEachOther
    case aHolderThatLostItsTurnCannotCommit
    case aTurnThatThrowsLeavesNoTrace
    case waitingEndsWithThePatience
    case theClockOfATurnIsTheHomes
    case theReplicaAndTheIncarnationChangeWithACommit
    case replacedContentIsDestroyed
    case aCallerIsRecorded
    case recordsAreReadAsTheyWereWritten
    case headsAreAnnounced
    case theSpaceIsTheSameForAllHosts
  }

  /// Plays a rule.
  package mutating func play(_ rule: Rule) async throws {
    switch rule {
    case .arrivalsAreReadInOrderFromEveryPosition: try await order()
    case .positionsAreTheSameForAllHosts: try await positions()
    case .anUnknownPositionIsRefused: try await unknownPosition()
    case .turnsExcludeEachOther: try await exclusion()
    case .aHolderThatLostItsTurnCannotCommit: try await fencing()
    case .aTurnThatThrowsLeavesNoTrace: try await tracelessness()
    case .waitingEndsWithThePatience: try await patience()
    case .theClockOfATurnIsTheHomes: try await clock()
    case .theReplicaAndTheIncarnationChangeWithACommit: try await copies()
    case .replacedContentIsDestroyed: try await replacing()
    case .aCallerIsRecorded: try await principals()
    case .recordsAreReadAsTheyWereWritten: try await records()
    case .headsAreAnnounced: try await announcements()
    case .theSpaceIsTheSameForAllHosts: try await space()
    }
  }

  // MARK: Steps

  mutating func commit(_ text: String = "") -> Commit {
    let number = writer.last?.sequence ?? 0
    return writer.commit(
      at: subject.clock.now + number,
      [EntityID(unchecked: "\(number)").has("text", .string(text))]
    )
  }

  /// Adds arrivals in a turn.
  @discardableResult
  func add(
    _ arrivals: [(HomeArrival.Kind, Commit)],
    _ changes: HomeChanges = HomeChanges(),
    at home: (any LogHome)? = nil,
    by principal: String? = nil
  ) async throws -> HomeHead {
    try await (home ?? self.home).exclusively(patienceMilliseconds: 10_000) { turn in
      try await Self.add(arrivals, changes, in: turn, by: principal)
    }
  }

  static func add(
    _ arrivals: [(HomeArrival.Kind, Commit)],
    _ changes: HomeChanges = HomeChanges(),
    in turn: any HomeTurn,
    by principal: String? = nil
  ) async throws -> HomeHead {
    var parts: [HomePart] = arrivals.flatMap { kind, commit in
      let arrival = HomePart.arrival(HomeArrival(kind, commit.id, principal: principal))
      guard kind != .release else { return [arrival] }
      return [arrival, .part(.header(commit.header))] + commit.blocks.map { .part(.block($0)) }
    }
    parts.reverse()
    return try await turn.commit(changes) { parts.popLast() }
  }

  /// Everything after a position, as text.
  func listing(
    after position: HomePosition?,
    at home: (any LogHome)? = nil
  ) async throws -> [String]? {
    var lines: [String] = []
    let head = try await (home ?? self.home).arrivals(after: position) { part in
      switch part {
      case .arrival(let arrival):
        lines.append("\(arrival.kind) \(arrival.commit.hash.hexadecimal)")
      case .part(.header(let header)): lines.append("header \(header.sequence)")
      case .part(.block(let block)): lines.append("block \(block.digest.hexadecimal)")
      case .record(let bytes): lines.append("record of \(bytes.count) bytes")
      }
    }
    return head == nil ? nil : lines
  }

  func code(_ body: () async throws -> Void) async throws -> VarveError.Code? {
    do {
      try await body()
      return nil
    } catch let error as VarveError {
      return error.code
    }
  }
}
