import VarveCore

/// Adds commits that were written elsewhere.
extension Session {
  /// Applies withheld commits that are due.
  ///
  /// A commit that cannot be read, which an older build stored without decoding it, stays withheld
  /// together with all that follow it. It does not make other writes fail; the check reports it.
  func applyDue(toleranceMilliseconds: Int64) throws {
    guard log.state.withheldCount > 0 else { return }
    var hasReleased = false
    let limit = wall.end(afterMilliseconds: toleranceMilliseconds)
    for n in try log.withheld(upTo: limit) {
      let (commit, chainID) = (try log.shownCommit(number: n), try log.commit(ofBlock: n).chainID)
      guard commit.canBeRead, try !log.followsWithheld(commit, chainID) else { continue }
      try release(commit, n, chainID)
      log.news?.released.append(commit.id)
      hasReleased = true
    }
    if hasReleased { try endReleases() }
  }

  /// Applies a withheld commit that the log's home released. Does nothing if it is not withheld.
  ///
  /// - Returns: whether it was withheld. Call ``endReleases()`` after the last.
  func release(_ id: CommitID) throws -> Bool {
    guard log.state.withheldCount > 0, let n = try log.number(of: id), try log.isWithheld(n) else {
      return false
    }
    try release(try log.shownCommit(number: n), n, try log.commit(ofBlock: n).chainID)
    return true
  }

  private func release(_ commit: Commit, _ n: Int64, _ chainID: Int64) throws {
    try log.unwithhold(n)
    guard try !log.isVoid(n) else { return log.noteApplied(commit.header, chainID: chainID) }
    try applyStored(commit, n: n, chainID: chainID)
  }

  /// Stores what changed with the withheld commits that were applied.
  func endReleases() throws {
    try log.storeNextRow()
    try updateAwaits()
  }

  /// Applies a commit whose blocks are stored.
  func applyStored(_ commit: Commit, n: Int64, chainID: Int64) throws {
    var events = LifeEvents(firstRow: log.state.nextRow)
    try applyStored(commit, n: n, chainID: chainID, &events)
  }

  func applyStored(
    _ commit: Commit,
    n: Int64,
    chainID: Int64,
    _ events: inout LifeEvents
  ) throws {
    let info = try log.commit(ofBlock: n)
    let commit = try log.opened(commit)
    try beginTogether(info)
    defer { endTogether() }
    var changes: [LifeChanges] = []
    try commit.forEachContent { content, index in
      changes += try apply(content, info: info, block: n + Int64(index))
    }
    events.add(try settleTogether(changes))
    endTogether()
    log.noteApplied(commit.header, chainID: chainID)
    try applyRedactions(of: commit.header, n: n)
  }

  /// Begins to apply the cells of a foreign commit, which count as one (R21).
  func beginTogether(_ info: CommitInfo) throws {
    applying.unseen = UnseenCommits(chains: try log.unseenChains(by: info))
    applying.deferred = DeferredLiveness()
    try adoptEarlyRemovals(info)
  }

  /// Ends the mode that ``beginTogether(_:)`` began, whether or not liveness was settled.
  func endTogether() {
    applying.deferred = nil
    applying.unseen = UnseenCommits()
  }

  /// Applies the cells of a stored block.
  func apply(_ content: BlockContent, info: CommitInfo, block: Int64) throws -> [LifeChanges] {
    log.recentBlocks.add(IndexedBlock(content), block)
    return try content.sections.flatMap { try apply($0, info: info, block: block) }
  }

  private func apply(_ section: Section, info: CommitInfo, block: Int64) throws -> [LifeChanges] {
    switch section {
    case .creations(let table):
      let known = try create(table, block: { block }, info: info)
      return try known.flatMap { row in
        var cells: [Cell] = []
        table.appendCells(ofRow: row, to: &cells)
        return try apply(cells, info: info, block: block)
      }
    case .cells(let cells): return try apply(cells, info: info, block: block)
    }
  }

  private func apply(_ cells: [Cell], info: CommitInfo, block: Int64) throws -> [LifeChanges] {
    var changes: [LifeChanges] = []
    for cell in cells {
      let place = CellPlace(info: info, block: block, ordinal: cell.ordinal)
      let change = try apply(cell.content, to: cell.entity, time: cell.time, at: place)
      if change != .none { changes.append(change) }
    }
    return changes
  }
}

extension Commit {
  /// Whether the content of the commit can be applied without an error.
  fileprivate var canBeRead: Bool {
    (try? verifyHorizon()) != nil && (try? verifyContent()) != nil
  }
}

/// The first death or revival of each entity while several commits are applied.
struct LifeEvents {
  /// The first row number of entities that are new.
  let firstRow: Int64
  private var diedFirst: [EntityID: Bool] = [:]

  init(firstRow: Int64) { self.firstRow = firstRow }

  mutating func add(_ changes: LifeChanges) {
    for id in changes.died where diedFirst[id] == nil { diedFirst[id] = true }
    for id in changes.revived where diedFirst[id] == nil { diedFirst[id] = false }
  }

  /// Returns the entities that were live before all the changes and are not afterwards.
  func died(in session: Session) throws -> [EntityID] {
    try diedFirst.filter(\.value).keys.filter { id in
      guard let identity = try session.identity(id), let row = identity.row else { return false }
      return row < firstRow && !identity.isLive
    }.sorted()
  }
}
