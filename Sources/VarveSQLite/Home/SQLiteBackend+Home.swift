import Synchronization
package import VarveCore

/// An index whose log is kept at a home.
///
/// A transaction that writes takes a turn at the home, applies the arrivals that the index lacks,
/// and commits at the home before it commits the index. If the process is killed in between, the
/// index applies the arrival later.
extension SQLiteBackend: HomeFollower {
  package var follower: (any HomeFollower)? { hasHome ? self : nil }

  /// Applies the arrivals that this index lacks, as far as the home has them now. Waits for no
  /// turn. Does nothing without a home.
  ///
  /// Call it before a read that must see the latest.
  ///
  /// - Returns: the position of the index.
  @discardableResult
  package func applyArrivals() async throws -> HomePosition? {
    guard let home = configuration.home else { return nil }
    let patience = Self.ownPatienceMilliseconds
    if let position = try await advance(home, patienceMilliseconds: patience) { return position }
    return try await follow()
  }

  /// Applies the arrivals that this index lacks, without a turn. Returns nil if it needs one.
  private func advance(
    _ home: any LogHome,
    patienceMilliseconds: Int
  ) async throws -> HomePosition? {
    let head = try await home.head()
    try head.requireKnownFormat()
    let isThere = try await withSession(mayBeBehind: true) { session in
      try session.refreshCatalogue()
      return try session.isAt(head, of: home.space)
    }
    guard !isThere else {
      homePlace.withLock { $0.note(head) }
      return head.position
    }
    let received = try await locked(
      patienceMilliseconds: patienceMilliseconds,
      turn: nil
    ) { session in
      try await session.receive(from: home, of: home.space)
    }
    if let received { homePlace.withLock { $0.note(received) } }
    return received?.position
  }

  /// Applies what an announcement is about, unless this index wrote or applied it itself.
  func applyArrivals(announcedBy head: HomeHead) async throws {
    guard homePlace.withLock({ $0.isBehind || $0.head != head }) else { return }
    try await applyArrivals()
  }

  /// Applies the arrivals up to a position that another host has seen, so that a caller reads what
  /// it wrote there.
  ///
  /// - Throws: ``VarveError`` with code `invalidArgument` if the home never had the position.
  package func applyArrivals(atLeast position: HomePosition) async throws {
    guard let home = configuration.home else { return }
    try await applyArrivals()
    guard try await home.knows(position) else {
      throw VarveError(
        .invalidArgument,
        "the log has no position \(position.number) in that incarnation",
        remedy: "The log may have been restored to an earlier state. Read the latest state."
      )
    }
  }

  /// Applies the arrivals that this index lacks in a turn of its own, and adds what the home lacks.
  @discardableResult
  package func follow() async throws -> HomePosition? {
    guard configuration.home != nil else { return nil }
    try await runDueWork()
    return try await indexPosition()
  }

  /// The position up to which the index has followed its home; nil if it never did.
  package func indexPosition() async throws -> HomePosition? {
    guard let home = configuration.home else { return nil }
    return try await withSession(mayBeBehind: true) { try $0.homePosition(of: home.space) }
  }

  package func leaveHome(at position: HomePosition) async throws {
    guard let home = configuration.home else { return }
    try await locked(patienceMilliseconds: Self.ownPatienceMilliseconds, turn: nil) { session in
      guard try session.homePosition(of: home.space) == position else {
        throw VarveError(
          .busy,
          "the space was written to while it was moved",
          at: place,
          remedy: "Move it again."
        )
      }
      try session.leaveHome()
    }
    try await flusher?.flushed()
  }

  /// Catches up if the last write reached the home but not the index.
  func requireUpToDate() async throws {
    guard configuration.home != nil, homePlace.withLock({ $0.isBehind }) else { return }
    try await applyArrivals()
  }

  // MARK: Turns

  /// Runs a transaction in a turn at the home.
  func inTurn<Result>(
    at home: any LogHome,
    patienceMilliseconds: Int,
    committed: (Result) -> Void,
    _ body: (Session) async throws -> Result
  ) async throws -> Result {
    var written: (result: Result, commit: CommitID?)?
    // Where other hosts write too, most of the arrivals are applied outside of a turn, so that they
    // do not wait for it. Elsewhere a look at the home would find nothing.
    var looksFirst = homePlace.withLock { $0.isShared || $0.isBehind }
    do {
      while true {
        let former = homePlace.withLock { $0.head }
        if looksFirst { _ = try await advance(home, patienceMilliseconds: patienceMilliseconds) }
        let result = try await home.exclusively(patienceMilliseconds: patienceMilliseconds) {
          turn -> Result? in
          note(turn.time)
          try turn.head.requireKnownFormat()
          homePlace.withLock { $0.isShared = turn.head != former }
          func run(isSettled: Bool) async throws -> Result {
            try await locked(
              patienceMilliseconds: patienceMilliseconds,
              turn: Turn(turn, home.space),
              written: { written = ($0, $1) },
              committed: committed
            ) { session in
              guard try isSettled || session.isAt(turn.head, of: home.space) else {
                throw IndexLacksArrivals()
              }
              return try await body(session)
            }
          }
          do {
            return try await run(isSettled: false)
          } catch is IndexLacksArrivals {
            // There may be many. What arrived since a look just before is not much.
            guard looksFirst, try await settle(turn, home.space, patienceMilliseconds) else {
              return nil
            }
            return try await run(isSettled: true)
          }
        }
        // If settling has committed, the turn is over and another one is needed.
        if let result { return result }
        looksFirst = true
      }
    } catch let unknown as HomeOutcomeUnknown {
      let (result, commit) = try written ?? { throw Self.outcomeUnknown(nil, unknown) }()
      try await require(commit, at: home, patienceMilliseconds, unknown)
      committed(result)
      return result
    }
  }

  /// A transaction began in a turn, but its index lacks arrivals.
  private struct IndexLacksArrivals: Error {}

  /// Applies the arrivals that the index lacks, and commits at the home what only the index has.
  ///
  /// - Returns: whether the turn can still commit.
  private func settle(
    _ turn: any HomeTurn,
    _ space: SpaceID,
    _ patienceMilliseconds: Int
  ) async throws -> Bool {
    let (received, canCommit) = try await locked(
      patienceMilliseconds: patienceMilliseconds,
      turn: nil
    ) { session -> (HomeHead?, Bool) in
      if let head = try await session.receive(from: turn, of: space) { return (head, true) }
      return (nil, try await session.reconcile(with: turn, of: space))
    }
    homePlace.withLock {
      $0.isBehind = false
      if let received { $0.note(received) }
    }
    return canCommit
  }

  /// Finds out whether the home has a commit of a turn whose end is unknown.
  ///
  /// - Throws: ``VarveError`` with code `inputOutput` if it has not; with code `outcomeUnknown` if
  ///   the home cannot be asked.
  private func require(
    _ commit: CommitID?,
    at home: any LogHome,
    _ patienceMilliseconds: Int,
    _ unknown: HomeOutcomeUnknown
  ) async throws {
    guard let commit else { throw Self.outcomeUnknown(nil, unknown) }
    let isThere: Bool
    do {
      let known = try await indexPosition()
      isThere = try await home.exclusively(patienceMilliseconds: patienceMilliseconds) { turn in
        var isThere = false
        let head = try await turn.arrivals(after: known) { part in
          if case .arrival(let arrival) = part, arrival.commit == commit { isThere = true }
        }
        guard head != nil else { throw unknown }
        return isThere
      }
      if isThere { try await home.flush() }
    } catch {
      throw Self.outcomeUnknown(commit, unknown)
    }
    guard isThere else {
      throw VarveError(
        .inputOutput,
        "the connection to the home of the log broke before the write: \(unknown.reason)",
        remedy: "Write again.",
        commit: commit
      ).caused(by: unknown.cause)
    }
    homePlace.withLock { $0.isBehind = true }
    _ = try? await applyArrivals()
  }

  static func outcomeUnknown(_ commit: CommitID?, _ unknown: HomeOutcomeUnknown) -> VarveError {
    VarveError(
      .outcomeUnknown,
      "the connection to the home of the log broke during the write: \(unknown.reason)",
      at: commit.map { "commit \($0.sequence) of replica \($0.replica)" },
      remedy: "The write may have been kept. Read before you write again.",
      commit: commit
    ).caused(by: unknown.cause)
  }

  // MARK: The home's clock

  /// Records how far the home's clock is ahead of this host's.
  private func note(_ time: HybridTime) {
    let lead = time.millisecondsSince1970 - configuration.nearestMilliseconds
    homeLead.withLock { $0 = lead }
  }
}

extension SQLiteBackend {
  /// A turn, with what a transaction commits in it.
  struct Turn {
    let time: HybridTime
    private let turn: any HomeTurn
    private let space: SpaceID

    init(_ turn: any HomeTurn, _ space: SpaceID) {
      self.turn = turn
      self.space = space
      time = turn.time
    }

    /// Commits the transaction at the home. Returns the new head; nil if there was nothing for the
    /// home. If there was, it is written, whatever fails afterwards.
    ///
    /// - Parameters:
    ///   - first: the number of the transaction's first commit.
    ///   - written: is called before the home commits, with the last commit.
    func publish(
      _ session: Session,
      from first: Int64,
      written: (CommitID?) -> Void
    ) async throws -> HomeHead? {
      let news = session.log.news ?? HomeNews()
      let numbers = try session.log.numbers(from: first)
      let parts = HomeParts(session, news.released, news.records, numbers)
      var changes = HomeChanges()
      changes.replaced = try session.commits(ofBlocks: news.replaced, before: first)
      let own = session.log.state.own.replica
      if own != turn.head.replica { changes.replica = own }
      guard !parts.isEmpty || !changes.isEmpty else { return nil }
      written(try parts.last)
      let head = try await turn.commit(changes, adding: parts.next)
      try session.set(head, of: space)
      return head
    }
  }
}
