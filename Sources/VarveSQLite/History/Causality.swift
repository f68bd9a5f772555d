import VarveCore

/// Computes what commits had seen of each other (R13), and the resulting conflicts (R7).
extension Session {
  /// Returns the greatest sequence number of a chain that a commit had seen.
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

  /// Returns everything that a commit's author had seen, including the commit.
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

  /// Returns the chains of which a commit had not seen everything that is applied here.
  func unseenChains(by info: CommitInfo) throws -> [Int64: Int64] {
    var unseen: [Int64: Int64] = [:]
    for (id, chain) in log.lineages where id != info.lineage {
      guard chain.appliedSequence > chain.forkSequence else { continue }
      let seen = try seenSequence(of: id, by: info.lineage, info.summary.id.sequence)
      if seen < chain.appliedSequence { unseen[id] = seen }
    }
    return unseen
  }

  /// Records a property with possibly concurrent values: it has a cell of a commit that the one
  /// being applied had not seen. Reading determines whether the values still conflict.
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

  /// Returns the properties of live entities that have different concurrent values.
  ///
  /// A recorded property stays recorded even if its conflict is resolved, so that past states can
  /// be examined too.
  ///
  /// - Parameters:
  ///   - filter: which cells count.
  ///   - identify: returns the identity of an identifier in the state.
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
