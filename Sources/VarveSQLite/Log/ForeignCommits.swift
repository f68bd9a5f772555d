import VarveCore

/// Adding commits that were written elsewhere.
extension Session {
  /// Adds commits, each after what it depends on.
  func append(
    _ commits: [Commit],
    wallMilliseconds: Int64,
    toleranceMilliseconds: Int64
  ) throws -> AppendReport {
    var report = AppendReport()
    var isForked = false
    var events = LifeEvents(firstRow: log.nextRow)
    for commit in commits where try lineageHolding(commit.id) == nil {
      try commit.verify()
      try checkPlace(of: commit)
      let lineage = try lineage(for: commit)
      isForked = isForked || commit.header.replica == log.own.replica
      let n = log.nextBlock
      try store(commit, n: n, lineage: lineage)
      report.addedCount += 1
      let isWithheld =
        try HybridClock.isWithheld(
          commit.header.time,
          wallMilliseconds: wallMilliseconds,
          toleranceMilliseconds: toleranceMilliseconds
        ) || followsWithheld(commit, lineage)
      if isWithheld {
        try withhold(commit.header, n: n)
        report.withheldCount += 1
      } else {
        try applyStored(commit, n: n, lineage: lineage, &events)
      }
    }
    if isForked {
      try startOwnLineage()
      report.replacedReplica = log.own.replica
    }
    if report.addedCount > 0 { try storeNextRow() }
    report.died = try events.died(in: self)
    return report
  }

  /// What a commit had seen must be here, and be stamped before it.
  private func checkPlace(of commit: Commit) throws {
    let header = commit.header
    if header.sequence == 1, header.previous != .zero {
      throw commit.damaged("it is its replica's first and names a predecessor")
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
      "commit \(commit.header.sequence) of replica \(commit.header.replica) needs a commit that is "
        + "not here",
      at: "commit \(id.sequence) of replica \(id.replica)",
      remedy: "Append commits in the order of their stamps, oldest first."
    )
  }

  /// The chain a commit goes on with, or a new one where it begins or branches one (R12).
  private func lineage(for commit: Commit) throws -> Int64 {
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

  private func store(_ commit: Commit, n: Int64, lineage: Int64) throws {
    var inline: Block?
    if commit.blocks.count == 1, commit.blocks[0].stored.count <= Self.inlineThreshold {
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

  private func followsWithheld(_ commit: Commit, _ lineage: Int64) throws -> Bool {
    guard log.withheldCount > 0, let chain = log.lineages[lineage] else { return false }
    if chain.appliedSequence < commit.header.sequence - 1 { return true }
    return try commit.header.dependencies.contains { dependency in
      guard let other = try lineageHolding(dependency),
        let n = try commitNumber(lineage: other, sequence: dependency.sequence)
      else { return false }
      return try isWithheld(n)
    }
  }

  private func withhold(_ header: CommitHeader, n: Int64) throws {
    let insert = try connection.statement("INSERT INTO varve_withheld (n, time) VALUES (?, ?)")
    insert.bind(1, n)
    insert.bind(2, header.time.rawValue)
    try insert.run()
    log.withheldCount += 1
  }

  /// Applies withheld commits the clock has reached.
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
    for n in numbers {
      let delete = try connection.statement("DELETE FROM varve_withheld WHERE n = ?")
      delete.bind(1, n)
      try delete.run()
      log.withheldCount -= 1
      try applyStored(try commit(number: n), n: n, lineage: try commit(ofBlock: n).lineage)
    }
    if !numbers.isEmpty { try storeNextRow() }
    return numbers.count
  }

  /// When the next withheld commit is due, or nil.
  func nextWithheld() throws -> HybridTime? {
    try connection.integer("SELECT min(time) FROM varve_withheld").map(HybridTime.init(rawValue:))
  }

  /// Applies a commit whose blocks are stored.
  func applyStored(_ commit: Commit, n: Int64, lineage: Int64) throws {
    var events = LifeEvents(firstRow: log.nextRow)
    try applyStored(commit, n: n, lineage: lineage, &events)
  }

  private func applyStored(
    _ commit: Commit,
    n: Int64,
    lineage: Int64,
    _ events: inout LifeEvents
  ) throws {
    let info = try self.commit(ofBlock: n)
    unseen = try unseenChains(by: info)
    defer { unseen = [:] }
    let changes = try applyTogether {
      var changes: [LifeChanges] = []
      try commit.forEachContent { content, index in
        let block = n + Int64(index)
        blocks.add(DecodedBlock(content), block)
        for section in content.sections {
          changes += try apply(section, info: info, block: block)
        }
      }
      return changes
    }
    events.add(changes)
    noteApplied(commit.header, lineage: lineage)
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

  /// Rows may have been numbered after the last commit's row was stored.
  private func storeNextRow() throws {
    let update = try connection.statement("UPDATE varve_commit SET next_row = ? WHERE n = ?")
    update.bind(1, log.nextRow)
    update.bind(2, log.lastCommit)
    try update.run()
  }
}

/// Who died first or came back first while several commits were applied.
private struct LifeEvents {
  /// Entities numbered from here on are new.
  let firstRow: Int64
  private var diedFirst: [EntityID: Bool] = [:]

  init(firstRow: Int64) { self.firstRow = firstRow }

  mutating func add(_ changes: LifeChanges) {
    for id in changes.died where diedFirst[id] == nil { diedFirst[id] = true }
    for id in changes.revived where diedFirst[id] == nil { diedFirst[id] = false }
  }

  /// Who was live before all of it and is not after.
  func died(in session: Session) throws -> [EntityID] {
    try diedFirst.filter(\.value).keys.filter { id in
      guard let identity = try session.identity(id), let row = identity.row else { return false }
      return row < firstRow && !identity.isLive
    }.sorted()
  }
}
