import VarveCore

/// Adds commits that were written elsewhere.
extension Session {
  /// Adds commits, each after those it depends on.
  func append(
    _ commits: [Commit],
    wallMilliseconds: Int64,
    toleranceMilliseconds: Int64
  ) throws -> AppendReport {
    var intake = Intake(
      self,
      wallMilliseconds: wallMilliseconds,
      toleranceMilliseconds: toleranceMilliseconds
    )
    for commit in commits { try intake.add(commit) }
    return try intake.finish()
  }

  /// Checks that everything a commit had seen is in this store and stamped before it.
  func checkPlace(of commit: Commit) throws {
    let header = commit.header
    if header.sequence == 1, header.previous != .zero {
      throw commit.damaged("it is the first of its replica but names a predecessor")
    }
    var seen = header.dependencies
    if header.sequence > 1 {
      seen.append(
        CommitID(
          replica: header.replica,
          sequence: header.sequence - 1,
          hash: header.previous
        )
      )
    }
    for id in seen {
      guard let lineage = try lineageHolding(id),
        let n = try commitNumber(lineage: lineage, sequence: id.sequence)
      else { throw missing(id, for: commit) }
      guard try self.commit(ofBlock: n).summary.time < header.time else {
        throw commit.damaged("it is not stamped later than commits it had seen")
      }
    }
  }

  private func missing(_ id: CommitID, for commit: Commit) -> VarveError {
    VarveError(
      .missingDependencies,
      "commit \(commit.header.sequence) of replica \(commit.header.replica) needs a missing "
        + "commit",
      at: "commit \(id.sequence) of replica \(id.replica)",
      remedy: "Send all commits of the store it comes from, oldest first."
    )
  }

  /// Returns the chain that a commit continues, or a new one if the commit begins or branches a
  /// chain (R12).
  func lineage(for commit: Commit) throws -> Int64 {
    let header = commit.header
    let chains = log.lineages.values.filter { $0.replica == header.replica }.sorted {
      $0.id < $1.id
    }
    for chain in chains {
      if let head = chain.head {
        if head.sequence == header.sequence - 1, head.hash == header.previous { return chain.id }
      } else if header.sequence == 1, chain.parent == nil {
        return chain.id
      }
    }
    guard header.sequence > 1 else { return try addLineage(header.replica) }
    let before = CommitID(
      replica: header.replica,
      sequence: header.sequence - 1,
      hash: header.previous
    )
    guard let parent = try lineageHolding(before) else { throw missing(before, for: commit) }
    return try addLineage(header.replica, parent: parent, forkSequence: before.sequence)
  }

  func store(_ commit: Commit, n: Int64, lineage: Int64) throws {
    var inline: Block?
    if commit.blocks.count == 1, commit.blocks[0].stored.count <= Self.inlineThreshold,
      !commit.blocks[0].isRedacted
    {
      inline = commit.blocks[0]
    } else {
      for (index, block) in commit.blocks.enumerated() {
        try store(block, number: n + Int64(index))
      }
    }
    try storeCommit(
      commit.header,
      bytes: commit.headerBytes,
      id: commit.id,
      n: n,
      lineage: lineage,
      inline: inline
    )
  }

  func followsWithheld(_ commit: Commit, _ lineage: Int64) throws -> Bool {
    guard log.withheldCount > 0, let chain = log.lineages[lineage] else { return false }
    if chain.appliedSequence < commit.header.sequence - 1 { return true }
    return try commit.header.dependencies.contains { dependency in
      guard let other = try lineageHolding(dependency),
        let n = try commitNumber(lineage: other, sequence: dependency.sequence)
      else { return false }
      return try isWithheld(n)
    }
  }

  func withhold(_ header: CommitHeader, n: Int64) throws {
    let insert = try connection.statement("INSERT INTO varve_withheld (n, time) VALUES (?, ?)")
    insert.bind(1, n)
    insert.bind(2, header.time.rawValue)
    try insert.run()
    log.withheldCount += 1
  }

  /// Applies withheld commits that are due.
  ///
  /// A commit that cannot be read, which an older build stored without decoding it, stays withheld
  /// together with all that follow it. It does not make other writes fail; the check reports it.
  func applyDue(wallMilliseconds: Int64, toleranceMilliseconds: Int64) throws -> Int {
    guard log.withheldCount > 0 else { return 0 }
    let due = try connection.statement("SELECT n FROM varve_withheld WHERE time <= ? ORDER BY time")
    due.bind(
      1,
      HybridTime(millisecondsSince1970: wallMilliseconds + toleranceMilliseconds)
        .endOfMillisecond.rawValue
    )
    var numbers: [Int64] = []
    while try due.step() { numbers.append(due.int(0)) }
    due.reset()
    var appliedCount = 0
    for n in numbers {
      let (commit, lineage) = (try commit(number: n), try self.commit(ofBlock: n).lineage)
      guard commit.canBeRead, try !followsWithheld(commit, lineage) else { continue }
      let delete = try connection.statement("DELETE FROM varve_withheld WHERE n = ?")
      delete.bind(1, n)
      try delete.run()
      log.withheldCount -= 1
      try applyStored(commit, n: n, lineage: lineage)
      appliedCount += 1
    }
    if appliedCount > 0 {
      try storeNextRow()
      try updateAwaits()
    }
    return appliedCount
  }

  /// Returns the time of the next withheld commit that is stamped later than a time, or nil.
  func nextWithheld(after time: HybridTime = .distantPast) throws -> HybridTime? {
    let statement = try connection.statement("SELECT min(time) FROM varve_withheld WHERE time > ?")
    statement.bind(1, time.rawValue)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalInt(0).map(HybridTime.init(rawValue:)) : nil
  }

  /// Applies a commit whose blocks are stored.
  func applyStored(_ commit: Commit, n: Int64, lineage: Int64) throws {
    var events = LifeEvents(firstRow: log.nextRow)
    try applyStored(commit, n: n, lineage: lineage, &events)
  }

  func applyStored(
    _ commit: Commit,
    n: Int64,
    lineage: Int64,
    _ events: inout LifeEvents
  ) throws {
    let info = try self.commit(ofBlock: n)
    try beginTogether(info)
    defer { endTogether() }
    var changes: [LifeChanges] = []
    try commit.forEachContent { content, index in
      changes += try apply(content, info: info, block: n + Int64(index))
    }
    events.add(try settleTogether(changes))
    endTogether()
    noteApplied(commit.header, lineage: lineage)
    try applyRedactions(of: commit.header, n: n)
  }

  /// Begins to apply the cells of a foreign commit, which count as one (R21).
  func beginTogether(_ info: CommitInfo) throws {
    unseen = try unseenChains(by: info)
    deferred = DeferredLiveness()
    try adoptEarlyRemovals(info)
  }

  /// Ends the mode that ``beginTogether(_:)`` began, whether or not liveness was settled.
  func endTogether() {
    deferred = nil
    unseen = [:]
  }

  /// Applies the cells of a stored block.
  func apply(_ content: BlockContent, info: CommitInfo, block: Int64) throws -> [LifeChanges] {
    blocks.add(DecodedBlock(content), block)
    return try content.sections.flatMap { try apply($0, info: info, block: block) }
  }

  private func apply(_ section: Section, info: CommitInfo, block: Int64) throws -> [LifeChanges] {
    switch section {
    case .creations(let table):
      let known = try create(
        table,
        block: { block },
        info: info,
        ordinal: { table.ordinals[$0] }
      )
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

  /// Stores the next row number, which may have changed after the last commit's row was stored.
  func storeNextRow() throws {
    let update = try connection.statement("UPDATE varve_commit SET next_row = ? WHERE n = ?")
    update.bind(1, log.nextRow)
    update.bind(2, log.lastCommit)
    try update.run()
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
