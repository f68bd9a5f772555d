import VarveCore

/// Counts commits by time.
extension Session {
  /// Returns the number of commits in each interval of a span.
  ///
  /// - Parameter filter: the state whose commits count; nil for the present.
  /// - Complexity: for the store, O(runs + intervals) × O(log² commits), or O(commits in the span)
  ///   by author. Otherwise O(touches of the entities), for a type also O(entities + links).
  func timeline(_ request: TimelineRequest, _ filter: MomentFilter?) throws -> Timeline {
    switch request.subject {
    case .store: return try storeTimeline(request, filter)
    case .type, .entity:
      let marks = try marks(of: request.subject, filter, withAuthors: request.grouping == .author)
      let times = marks.map(\.time)
      guard let intervals = request.intervals(first: times.min(), last: times.max()) else {
        return Timeline(intervals: [], series: [])
      }
      let replicas = try log.chains.mapValues(\.replica.text)
      var tally = try TimelineTally(intervals, request)
      for mark in marks {
        try tally.add(
          mark.time,
          for: request.grouping == .author ? mark.author : replicas[mark.chainID]
        )
      }
      return tally.timeline
    }
  }

  private func storeTimeline(
    _ request: TimelineRequest,
    _ filter: MomentFilter?
  ) throws -> Timeline {
    let runs = try log.countedRuns(filter)
    let intervals = request.intervals(
      first: runs.map(\.first.time).min(),
      last: runs.map(\.last.time).max()
    )
    guard let intervals else { return Timeline(intervals: [], series: []) }
    var tally = try TimelineTally(intervals, request)
    for run in runs where run.last.time >= intervals.start && run.first.time <= intervals.end {
      try Task.checkCancellation()
      if request.grouping == .author {
        try log.forEachCommit(from: run.first.n, through: run.last.n, withAuthors: true) {
          try tally.add($0.time, for: $0.author)
        }
      } else {
        try add(run, to: &tally)
      }
    }
    return tally.timeline
  }

  /// Adds the commits of a run by the differences of their sequence numbers.
  private func add(_ run: CommitRun, to tally: inout TimelineTally) throws {
    let intervals = tally.intervals
    let replica = try log.chains[run.chainID]?.replica.text
    var place =
      run.first.time >= intervals.start
      ? run.first : try log.first(of: run, from: run.first) { $0.time >= intervals.start }
    while let mark = place, mark.time <= intervals.end {
      try Task.checkCancellation()
      let index = intervals.index(of: mark.time)
      let end = intervals.end(of: index)
      let next = try log.first(of: run, from: mark) { $0.time > end }
      let count = (next?.sequence ?? run.last.sequence + 1) - mark.sequence
      try tally.add(Int(count), at: index, for: replica)
      place = next
    }
  }

  // MARK: Neighbors

  /// Returns the commits before and after a span of time.
  ///
  /// - Complexity: O(runs × log² commits) for the store; otherwise as a timeline.
  func commits(
    around span: ClosedRange<HybridTime>,
    of subject: Timeline.Subject,
    _ filter: MomentFilter?
  ) throws -> NeighboringCommits {
    try commits(around: span, than: nil, of: subject, filter)
  }

  /// Returns the commits before and after a commit. Those of its time are in the order of R4.
  ///
  /// - Complexity: O(runs × log² commits) for the store; otherwise as a timeline.
  func commits(
    around id: CommitID,
    of subject: Timeline.Subject,
    _ filter: MomentFilter?
  ) throws -> NeighboringCommits {
    let chainID = try log.requireChain(holding: id)
    guard let n = try log.commitNumber(chainID: chainID, sequence: id.sequence) else {
      throw log.connection.damaged("commit \(id) has no number")
    }
    let order = try log.commit(ofBlock: n).order
    return try commits(
      around: order.stamp.time...order.stamp.time,
      than: order,
      of: subject,
      filter
    )
  }

  /// Returns the commits before and after a span of time; if the span is that of one commit, those
  /// of the same time count as before or after it.
  private func commits(
    around span: ClosedRange<HybridTime>,
    than order: CommitOrder?,
    of subject: Timeline.Subject,
    _ filter: MomentFilter?
  ) throws -> NeighboringCommits {
    var before: [(n: Int64, time: HybridTime)] = []
    var after: [(n: Int64, time: HybridTime)] = []
    func add(tied n: Int64, _ time: HybridTime) throws {
      guard let order else { return }
      let other = try log.commit(ofBlock: n).order
      if other < order { before.append((n, time)) }
      if other > order { after.append((n, time)) }
    }
    if subject == .store {
      for run in try log.countedRuns(filter) {
        let inside = try log.first(of: run, from: run.first) { $0.time >= span.lowerBound }
        let beyond = try log.first(of: run, from: run.first) { $0.time > span.upperBound }
        if let beyond { after.append((beyond.n, beyond.time)) }
        // Times rise within a chain, so at most one commit of a run has the time.
        if let inside, inside.n != beyond?.n { try add(tied: inside.n, inside.time) }
        if inside?.n != run.first.n,
          let last = try log.mark(notAfter: inside.map { $0.n - 1 } ?? run.last.n)
        {
          before.append((last.n, last.time))
        }
      }
    } else {
      for mark in try marks(of: subject, filter, withAuthors: false) {
        if mark.time < span.lowerBound {
          before.append((mark.n, mark.time))
        } else if mark.time > span.upperBound {
          after.append((mark.n, mark.time))
        } else {
          try add(tied: mark.n, mark.time)
        }
      }
    }
    let last = before.map(\.time).max()
    let first = after.map(\.time).min()
    return NeighboringCommits(
      previous: try before.filter { $0.time == last }.map { try log.commit(ofBlock: $0.n) }
        .max { $0.order < $1.order }?.summary,
      next: try after.filter { $0.time == first }.map { try log.commit(ofBlock: $0.n) }
        .min { $0.order < $1.order }?.summary
    )
  }

  // MARK: Entities

  /// Returns the commits that wrote to the entities of a subject and count in a state.
  private func marks(
    of subject: Timeline.Subject,
    _ filter: MomentFilter?,
    withAuthors: Bool
  ) throws -> [ListedCommit] {
    try requireHistory(for: "the timeline of an entity or a type")
    var blocks: [Int64] = []
    switch subject {
    case .store: break
    case .entity(let id): try addBlocks(of: id, to: &blocks)
    case .type(let type):
      if let number = catalogue.typeNumbers[type] { try addBlocks(ofType: number, to: &blocks) }
    }
    // What the open transaction writes is no commit yet.
    if let pending = log.pending { blocks.removeAll { $0 >= pending.n } }
    var marks: [ListedCommit] = []
    try log.forEachCommit(holding: blocks.sortedDistinct(), withAuthors: withAuthors) { mark in
      guard let filter else { return marks.append(mark) }
      let bound = filter.bounds.map { $0[mark.chainID] ?? 0 } ?? .max
      if mark.sequence <= bound, mark.time <= filter.history.cutoff { marks.append(mark) }
    }
    return marks
  }

  private func addBlocks(of id: EntityID, to blocks: inout [Int64]) throws {
    guard let identity = try identity(id) else { return }
    if let born = identity.born { blocks.append(born) }
    if let row = identity.row { blocks += try touches.all(row: row).map(\.block) }
    for link in try links(from: id, kind: .member) {
      blocks.append(link.commit)
      guard link.removed != nil else { continue }
      blocks += try removalBlocks(commit: link.commit, ordinal: Int64(link.ordinal))
    }
  }

  private func removalBlocks(commit: Int64, ordinal: Int64) throws -> [Int64] {
    let statement = try connection.statement(
      "SELECT b FROM varve_unlink WHERE add_b = ? AND add_ordinal = ?"
    )
    statement.bind(1, commit)
    statement.bind(2, ordinal)
    defer { statement.reset() }
    var blocks: [Int64] = []
    while try statement.step() { blocks.append(statement.int(0)) }
    return blocks
  }

  private func addBlocks(ofType type: Int64, to blocks: inout [Int64]) throws {
    let identities = try connection.ownStatement(
      "SELECT row, born FROM varve_identity WHERE type = ?"
    )
    identities.bind(1, type)
    var rows: [Int64] = []
    while try identities.step() {
      if let row = identities.optionalInt(0) { rows.append(row) }
      guard let born = identities.optionalInt(1) else { continue }
      // Neighbouring entities are mostly created by one commit.
      if blocks.last != born { blocks.append(born) }
    }
    try touches.forEachBlock(rows: rows.sortedDistinct()) { block in
      if blocks.last != block { blocks.append(block) }
    }
    let links = try connection.ownStatement(
      """
      SELECT l.b, l.ordinal, l.removed FROM varve_link AS l
      CROSS JOIN varve_identity AS i ON i.id = l.source
      WHERE l.kind = ? AND i.type = ?
      """
    )
    links.bind(1, Int64(Relation.Kind.member.rawValue))
    links.bind(2, type)
    while try links.step() {
      blocks.append(links.int(0))
      guard !links.isNull(2) else { continue }
      blocks += try removalBlocks(commit: links.int(0), ordinal: links.int(1))
    }
    for id in try neverLive(ofType: type) { try addBlocks(of: id, to: &blocks) }
  }

  /// Returns the entities of a type that were dead when their creations arrived: the identity table
  /// has a type only for those that have lived here.
  ///
  /// - Complexity: O(identifiers), and the lives of those that never lived here.
  private func neverLive(ofType type: Int64) throws -> [EntityID] {
    let typeless = try connection.ownStatement(
      "SELECT id FROM varve_identity WHERE type IS NULL AND row IS NOT NULL"
    )
    var ids: [EntityID] = []
    while try typeless.step() { ids.append(try typeless.id(0)) }
    return try ids.filter { id in
      guard let identity = try identity(id), let name = try reconstructLife(identity).type else {
        return false
      }
      return catalogue.typeNumbers[name] == type
    }
  }
}

extension [Int64] {
  fileprivate func sortedDistinct() -> [Int64] {
    var result: [Int64] = []
    for number in sorted() where result.last != number { result.append(number) }
    return result
  }
}
