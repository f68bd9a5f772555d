import VarveCore

/// The part of following a home that happens in an open transaction.
extension Session {
  // MARK: The position of the index

  /// The numbers in `varve_meta` by which an index knows its home and its place there.
  private static let homeKeys = ["home", "home_number", "home_running", "home_high", "home_low"]

  /// Returns the position up to which this index has followed its home; nil if it never did.
  ///
  /// - Throws: `invalidArgument` if the file is the index of another space.
  func homePosition(of space: SpaceID) throws -> HomePosition? {
    guard let incarnation = try connection.metaInteger("home"),
      let number = try connection.metaInteger("home_number"),
      let running = try connection.metaInteger("home_running")
    else { return nil }
    let words = [try connection.metaInteger("home_high"), try connection.metaInteger("home_low")]
    guard words == [Int64(bitPattern: space.high), Int64(bitPattern: space.low)] else {
      throw VarveError(
        .invalidArgument,
        "the file is the index of another space than \(space)",
        at: connection.place,
        remedy: "Name another file, or delete this one: an index is derived from its log."
      )
    }
    return HomePosition(incarnation: incarnation, number: number, running: running)
  }

  /// Returns the space that this index has followed; nil if it never followed one.
  func homeSpace() throws -> SpaceID? {
    guard let high = try connection.metaInteger("home_high"),
      let low = try connection.metaInteger("home_low")
    else { return nil }
    return SpaceID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low))
  }

  /// Returns whether the index has everything up to a head.
  func isAt(_ head: HomeHead, of space: SpaceID) throws -> Bool {
    try homePosition(of: space) == head.position && log.own.replica == head.replica
  }

  /// Records that the index has everything up to a head, and writes under its replica from now on.
  func set(_ head: HomeHead, of space: SpaceID) throws {
    try connection.setMeta("home", head.position.incarnation)
    try connection.setMeta("home_number", head.position.number)
    try connection.setMeta("home_running", head.position.running)
    try connection.setMeta("home_high", Int64(bitPattern: space.high))
    try connection.setMeta("home_low", Int64(bitPattern: space.low))
    log.state.followsHome = true
    try log.continueChain(of: head.replica)
  }

  /// Makes a file that is opened without its home a copy of the log under a replica of its own.
  ///
  /// The copy keeps the id of the space, as a restored backup does.
  func leaveHome() throws {
    guard log.state.followsHome else { return }
    if let space = try homeSpace() { try connection.setMeta("space", space) }
    for key in Self.homeKeys { try connection.removeMeta(key) }
    log.state.followsHome = false
    try log.startOwnChain()
  }

  // MARK: Arrivals

  /// Applies the arrivals that this index lacks.
  ///
  /// - Returns: the head that the index has now; nil if the home does not know the index's
  ///   position, or the file has a log that never was at a home.
  func receive(from source: some HomeReading, of space: SpaceID) async throws -> HomeHead? {
    let known = try homePosition(of: space)
    guard try known != nil || (log.lastCommit == nil && log.sealedView == nil) else { return nil }
    var arrivals = HomeArrivals(self, after: known)
    let head = try await source.arrivals(after: known) { try arrivals.add($0) }
    guard let head else { return nil }
    try arrivals.finish(at: head)
    if arrivals.records.hasEntries { try await replaceLackingBlocks(from: source) }
    try set(head, of: space)
    return head
  }

  /// Replaces the blocks that were purged and are here as they were before.
  ///
  /// - Complexity: O(purged blocks × log commits), and O(arrivals at the home) if there are any.
  private func replaceLackingBlocks(from source: some HomeReading) async throws {
    guard log.sealing != nil else { return }
    let lacking = Dictionary(grouping: try log.lackingBlocks(), by: \.name.commit)
    guard !lacking.isEmpty else { return }
    var blocks: [(PurgedBlock, [UInt8])] = []
    var (arriving, index): ([PurgedBlock], Int) = ([], 0)
    _ = try await source.arrivals(after: nil) { part in
      switch part {
      case .arrival(let arrival): (arriving, index) = (lacking[arrival.commit] ?? [], 0)
      case .part(.block(let block)):
        for purged in arriving where purged.name.index == index {
          blocks.append((purged, block.stored))
        }
        index += 1
      case .part(.header), .record: break
      }
    }
    // A home that went back may not have what it is given after this.
    for (purged, stored) in blocks where ContentDigest.sha256(stored) == purged.digest {
      _ = try replace(purged, by: stored)
    }
    try noteScrub()
  }

  /// Makes the home and the index equal: the index followed another copy of the log, the home was
  /// set back, or the file has a log that never was at a home. Each may lack what the other has.
  ///
  /// - Returns: whether the turn can still commit.
  func reconcile(with turn: any HomeTurn, of space: SpaceID) async throws -> Bool {
    let known = try homePosition(of: space)
    var arrivals = HomeArrivals(self, after: nil)
    guard let head = try await turn.arrivals(after: nil, { try arrivals.add($0) }) else {
      throw connection.damaged("the home of the log does not have its own arrivals")
    }
    try arrivals.finish(at: head)
    try await replaceLackingBlocks(from: turn)
    let released = try log.effective(among: arrivals.withheld)
    let lacking = try log.commits(but: arrivals.commits)
    let records = try lackingRecords(beside: arrivals.records)
    let parts = HomeParts(self, released, records, lacking.map(\.n))
    // The home has them after those that it has kept.
    try log.place(as: arrivals.ordered + lacking.map(\.id))
    var changes = HomeChanges()
    // With the same incarnation, hosts could not distinguish lost positions from new ones.
    if known?.incarnation == head.position.incarnation {
      changes.isAnotherCopy = true
      changes.replica = .random()
    }
    changes.replaced = try redactedCommits().filter { arrivals.commits.contains($0.id) }
    guard !parts.isEmpty || !changes.isEmpty else {
      try set(head, of: space)
      return true
    }
    try set(try await turn.commit(changes, adding: parts.next), of: space)
    return false
  }

  /// Returns what is here of a sealed space beside the commits, and the home lacks.
  private func lackingRecords(beside arrived: ArrivedRecords) throws -> [SealedRecord] {
    guard log.sealing != nil else { return [] }
    return try log.records().filter { !arrived.held.contains(.sha256($0.encoded)) }
  }

  /// The stored commits that redactions refer to.
  private func redactedCommits() throws -> [Commit] {
    if log.sealing != nil {
      return try log.completelyPurgedCommits().compactMap { id in
        try log.number(of: id).map { try log.commit(number: $0) }
      }
    }
    guard log.state.hasRedactions else { return [] }
    let statement = try connection.ownStatement("SELECT DISTINCT target FROM varve_redaction")
    var ids: [CommitID] = []
    while try statement.step() {
      ids.append(try statement.bytes(0).withReader { try $0.commitID() })
    }
    return try ids.compactMap { id in
      try log.number(of: id).map { try log.commit(number: $0) }
    }
  }

  /// Returns the commits before a number that have some of the blocks.
  func commits(ofBlocks blocks: Set<Int64>, before first: Int64) throws -> [Commit] {
    let numbers = Set(try blocks.map { try log.commit(ofBlock: $0).n }).filter { $0 < first }
    return try numbers.sorted().map { try log.commit(number: $0) }
  }
}
