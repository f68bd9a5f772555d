import VarveCore

/// What commits had seen of each other (R13), and the conflicts that follow (R7).
extension Session {
  /// The greatest number of a chain that a commit had seen.
  ///
  /// - Complexity: one seek, and one more for each fork behind the commit.
  func seenSequence(of other: Int64, by lineage: Int64, _ sequence: Int64) throws -> Int64 {
    if other == lineage { return sequence }
    let statement = try connection.statement(
      """
      SELECT other_sequence FROM varve_seen WHERE author = ? AND other = ? AND author_sequence <= ?
      ORDER BY author_sequence DESC LIMIT 1
      """
    )
    statement.bind(1, lineage)
    statement.bind(2, other)
    statement.bind(3, sequence)
    let seen = try statement.step() ? statement.int(0) : 0
    statement.reset()
    guard let chain = log.lineages[lineage], let parent = chain.parent else { return seen }
    let before = min(sequence, chain.forkSequence)
    return max(seen, try seenSequence(of: other, by: parent, before))
  }

  /// Whether a commit had seen another.
  func hasSeen(_ later: CommitInfo, _ earlier: CommitInfo) throws -> Bool {
    let seen = try seenSequence(
      of: earlier.lineage,
      by: later.lineage,
      later.summary.id.sequence
    )
    return earlier.summary.id.sequence <= seen
  }

  /// Everything a commit's author had seen, the commit included.
  func frontier(of id: CommitID) throws -> Frontier {
    guard let lineage = try lineageHolding(id) else {
      throw VarveError(
        .notFound,
        "there is no commit \(id)",
        at: "commit \(id)",
        remedy: "The log lists the commits there are."
      )
    }
    var heads = [id]
    for other in log.lineages.keys where other != lineage {
      let sequence = try seenSequence(of: other, by: lineage, id.sequence)
      guard sequence > 0, let n = try commitNumber(lineage: other, sequence: sequence) else {
        continue
      }
      heads.append(try commit(ofBlock: n).summary.id)
    }
    return Frontier(heads)
  }

  /// The chains of which a commit had not seen all that is applied here.
  func unseenChains(by info: CommitInfo) throws -> [Int64: Int64] {
    var unseen: [Int64: Int64] = [:]
    for (id, chain) in log.lineages where id != info.lineage {
      guard chain.appliedSequence > chain.forkSequence else { continue }
      let seen = try seenSequence(of: id, by: info.lineage, info.summary.id.sequence)
      if seen < chain.appliedSequence { unseen[id] = seen }
    }
    return unseen
  }

  /// Notes a property as one whose values may have been written apart: some cell of it is of a
  /// commit that the one being applied had not seen. Whether they still are is found on reading.
  func noteConflict(of identity: Identity, key: Int64, at place: CellPlace) throws {
    guard !unseen.isEmpty, let row = identity.row else { return }
    var isApart = try identity.born.map { try isUnseen(try commit(ofBlock: $0)) } ?? false
    if !isApart {
      try forEachTouch(row: row, key: key) { touch in
        isApart = try isUnseen(touch.info)
        return !isApart
      }
    }
    guard isApart else { return }
    let insert = try connection.statement(
      "INSERT OR IGNORE INTO varve_conflict (id, key) VALUES (?, ?)"
    )
    insert.reserve(0)
    insert.bind(1, identity.id)
    insert.bind(2, key)
    try insert.run()
  }

  private func isUnseen(_ info: CommitInfo) throws -> Bool {
    guard let seen = unseen[info.lineage] else { return false }
    return info.summary.id.sequence > seen
  }

  /// The properties of live entities whose values were written apart and differ.
  ///
  /// A property once noted stays noted, settled or not, so past states are asked of the same ones.
  ///
  /// - Parameters:
  ///   - filter: which cells count.
  ///   - identify: what is known of an identifier in the state.
  func valueConflicts(
    _ filter: HistoryFilter,
    _ identify: (EntityID) throws -> Identity?
  ) throws -> [Conflict] {
    let statement = try connection.ownStatement("SELECT id, key FROM varve_conflict")
    var conflicts: [Conflict] = []
    while try statement.step() {
      guard let identity = try identify(try statement.id(0)), identity.isLive,
        let key = catalogue.keys[statement.int(1)]
      else { continue }
      let rebirth = try reconstructLife(identity, filter).rebirth
      let cells = try placedCells(of: identity, key: key, limit: nil, filter)
        .filter { $0.touch.isWritten(after: rebirth) }
      let heads = try Conflict.heads(among: cells, content: \.content) { later, cell in
        later.touch.info.n == cell.touch.info.n
          ? cell.touch.ordinal < later.touch.ordinal
          : try hasSeen(later.touch.info, cell.touch.info)
      }
      guard let heads else { continue }
      let versions = heads.map {
        Version(content: $0.content, time: $0.touch.time, commit: $0.touch.info.summary)
      }
      conflicts.append(Conflict(entity: identity.id, key: key, versions: versions))
    }
    return conflicts.sorted(by: Conflict.precedes)
  }
}
