package import VarveCore

/// Reads one folded state.
package class ReferenceReader: BackendReader {
  private let log: ReferenceLog
  private let moment: Moment
  private let base: FoldedState
  private let wallMilliseconds: Int64

  package init(log: ReferenceLog, moment: Moment, state: FoldedState, wallMilliseconds: Int64) {
    self.wallMilliseconds = wallMilliseconds
    self.log = log
    self.moment = moment
    base = state
  }

  /// Returns the state. A writer's includes its writes.
  func state() throws -> FoldedState { base }
  /// The name of the commit being written, which readers do not see.
  var pending: Commit? { nil }

  package func entity(_ id: EntityID) async throws -> StoredEntity? { try state().entity(id) }

  package func status(of id: EntityID) async throws -> EntityStatus {
    try state().status(of: id)
  }

  package func label(of id: EntityID) async throws -> EntityType? { try state().entities[id]?.type }

  package func likenesses(_ likenings: [Likening]) async throws -> [Likeness] {
    try likenings.map { likening in
      guard let entity = try state().entity(likening.id) else { return .absent }
      return likening.matches(entity) ? .same(number: entity.number) : .other(entity)
    }
  }

  package func fetch(_ query: Query) async throws -> [StoredEntity] {
    let state = try state()
    return try query.evaluate(state.snapshots) { state.elements(of: $0, $1) }
  }

  package func fetch(
    _ query: Query,
    pageSize: Int,
    _ body: ([StoredEntity]) async throws -> Bool
  ) async throws {
    precondition(pageSize > 0, "a page has room for an entity")
    let entities = try await fetch(query)
    for start in stride(from: 0, to: entities.count, by: pageSize) {
      let page = entities[start..<min(start + pageSize, entities.count)]
      guard try await body(Array(page)) else { return }
    }
  }

  package func values(of fields: [Field], in query: Query) async throws -> [[Value?]] {
    let state = try state()
    return try query.evaluate(state.snapshots, fields) { state.elements(of: $0, $1) }
  }

  package func count(_ query: Query) async throws -> Int { try await fetch(query).count }

  package func types() async throws -> [(type: EntityType, count: Int)] {
    var counts: [EntityType: Int] = [:]
    for entity in try state().snapshots { counts[entity.type, default: 0] += 1 }
    return counts.sorted { $0.key < $1.key }.map { (type: $0.key, count: $0.value) }
  }

  package func edges(from source: EntityID, in relation: Relation?) async throws -> [RelationEdge] {
    try state().edges(from: source, in: relation).map(relativeToPending)
  }

  package func edges(to target: EntityID, of kind: Relation.Kind) async throws -> [RelationEdge] {
    try state().edges(to: target, of: kind).map(relativeToPending)
  }

  package func pairedEdges(of id: EntityID, key: PropertyKey) async throws -> [PairedEdge] {
    try state().pairs.filter { register, _ in
      register.holder == id && register.key == key && !register.isFormer
    }.map { register, pair in
      let add = pair.edge.id
      return PairedEdge(
        relation: register.relation,
        pairing: Pairing(key, at: register.end),
        source: pair.edge.source,
        target: pair.edge.target,
        add: add.commit == pending?.id ? AddID(commit: nil, ordinal: add.ordinal) : add,
        isRemoved: pair.isRemoved
      )
    }.sorted(by: PairedEdge.precedes)
  }

  package func pairedKeys() async throws -> [PropertyKey] {
    Set(try state().pairs.keys.map(\.key)).sorted()
  }

  package func isCollection(_ id: EntityID, _ key: PropertyKey) async throws -> Bool {
    guard let property = try state().entities[id]?.properties[key] else { return false }
    return property.value == nil
  }

  package func collections(of id: EntityID) async throws -> [PropertyKey] {
    let properties = try state().entities[id]?.properties ?? [:]
    return properties.filter { $0.value.value == nil }.keys.sorted()
  }

  package func elements(of source: EntityID, key: PropertyKey) async throws -> [Element] {
    let relation = Relation(.member, key)
    return try state().edges
      .filter { $0.source == source && $0.relation == relation && !$0.isFromFormerLife }
      .map(element)
  }

  func element(_ edge: FoldedState.Edge) -> Element {
    Element(
      target: edge.target,
      position: edge.position,
      add: edge.id.commit == pending?.id ? AddID(commit: nil, ordinal: edge.id.ordinal) : edge.id
    )
  }

  /// Returns an edge as the commit being written sees it, whose own adds have no name yet.
  func relativeToPending(_ edge: RelationEdge) -> RelationEdge {
    guard let pending = pending?.id else { return edge }
    let adds = edge.adds.map { add in
      add.commit == pending ? AddID(commit: nil, ordinal: add.ordinal) : add
    }
    return RelationEdge(
      source: edge.source,
      relation: edge.relation,
      target: edge.target,
      position: edge.position,
      adds: adds,
      isFromFormerLife: edge.isFromFormerLife
    )
  }

  package func history(of id: EntityID, key: PropertyKey?, limit: Int?) async throws -> [Version] {
    let cells = try state().entities[id]?.history ?? []
    let asked = cells.filter { cell in key.map { $0 == cell.content.key } ?? true }
    return asked.prefix(limit ?? .max).compactMap(version)
  }

  private func version(_ cell: FoldedState.HistoryCell) -> Version? {
    let summary =
      cell.commit == pending?.id
      ? pending.map { CommitSummary($0.header, id: $0.id) } : log.summary(of: cell.commit)
    var content = cell.content
    if case .remove(let relation, let target, let adds) = content, let pending = pending?.id {
      let relative = adds.map { add in
        add.commit == pending ? AddID(commit: nil, ordinal: add.ordinal) : add
      }
      content = .remove(relation, target: target, adds: relative)
    }
    return summary.map {
      Version(content: content, time: cell.order.time, commit: $0, ordinal: cell.order.ordinal)
    }
  }

  package func memberHistory(of source: EntityID, key: PropertyKey?) async throws -> [Version] {
    try state().members[source, default: []].filter { cell in
      switch cell.content {
      case .add(let relation, _, _, _), .remove(let relation, _, _):
        key.map { relation.name == $0 } ?? true
      default: false
      }
    }.sorted { $1.order < $0.order }.compactMap(version)
  }

  package func contentCells(of id: EntityID) async throws -> [Redaction] {
    let redacted = log.fold.redactedCells(wallMilliseconds: wallMilliseconds)
    var places: [CommitID: Set<Int>] = [:]
    for (commit, entry) in log.fold.commits where log.fold.isDue(entry, wallMilliseconds) {
      for cell in entry.cells where cell.entity == id && cell.content.forgettableKey != nil {
        guard redacted[commit].map({ !$0.names(cell) }) ?? true else { continue }
        places[commit, default: []].insert(cell.ordinal)
      }
    }
    return places.keys.sorted().map { commit in
      Redaction(commit, [.init(key: nil, ordinals: OrdinalSet(places[commit] ?? []))])
    }
  }

  package func idsInCreationOrder() async throws -> [EntityID] {
    try state().snapshots.map(\.id)
  }

  package func valueConflicts() async throws -> [Conflict] {
    log.fold.conflicts(in: try state()).map {
      Conflict(entity: $0.entity, key: $0.key, versions: versions($0.cells))
    }
  }

  package func unseenDeaths() async throws -> [Conflict] {
    guard moment == .now else { return [] }
    return log.fold.unseenDeaths(in: try state(), wallMilliseconds: wallMilliseconds).map {
      Conflict(deathOf: $0.entity, with: $0.erased, versions: versions($0.cells))
    }
  }

  private func versions(_ cells: [FoldedState.HistoryCell]) -> [Version] {
    cells.compactMap { cell in
      log.summary(of: cell.commit).map {
        Version(
          content: cell.content,
          time: cell.order.time,
          commit: $0,
          ordinal: cell.order.ordinal
        )
      }
    }
  }

  package func frontier(of commit: CommitID) async throws -> Frontier {
    _ = try require(commit)
    return Frontier(log.fold.seen(by: commit))
  }

  /// Returns a commit of the log.
  func require(_ id: CommitID) throws -> Commit {
    guard let commit = log[id] else {
      throw VarveError(
        .notFound,
        "there is no commit \(id)",
        at: "commit \(id)",
        remedy: "The log lists the commits there are."
      )
    }
    return commit
  }

  package func tally(_ progress: @Sendable (TallyProgress) -> Void) async throws -> LogTally {
    var tally = LogTally()
    let cutoff = if case .time(let time) = moment { time } else { HybridTime.distantFuture }
    for commit in countedCommits {
      if commit.header.time <= cutoff { tally.add(CommitSummary(commit.header, id: commit.id)) }
      try tally.add(cellsOf: commit, notAfter: cutoff)
    }
    return tally
  }

  /// The commits that count, regardless of the times of their cells.
  private var countedCommits: [Commit] {
    guard case .frontier(let frontier) = moment else { return log.arrivals }
    let closure = log.fold.closure(of: frontier)
    return log.arrivals.filter { closure.contains($0.id) }
  }

  package func log(limit: Int?, offset: Int) async throws -> [CommitSummary] {
    var commits = countedCommits
    if case .time(let time) = moment { commits.removeAll { $0.header.time > time } }
    return commits.reversed().dropFirst(offset).prefix(limit ?? .max).map {
      CommitSummary($0.header, id: $0.id)
    }
  }

  /// The commits of a subject that count and have taken effect.
  func commits(of subject: Timeline.Subject) -> [Commit] {
    let cutoff = if case .time(let time) = moment { time } else { HybridTime.distantFuture }
    let due = countedCommits.filter { commit in
      commit.header.time <= cutoff
        && log.fold.commits[commit.id].map { log.fold.isDue($0, wallMilliseconds) } ?? false
    }
    let ids: Set<EntityID>
    switch subject {
    case .store: return due
    case .entity(let id): ids = [id]
    case .type(let type):
      let present = log.fold.state(at: .now, wallMilliseconds: wallMilliseconds)
      ids = Set(present.entities.filter { $0.value.type == type }.keys)
    }
    let redacted = log.fold.redactedCells(wallMilliseconds: wallMilliseconds)
    let known = log.fold.dueCommits(wallMilliseconds: wallMilliseconds)
    return due.filter { commit in
      log.fold.commits[commit.id]?.cells.contains { cell in
        ids.contains(cell.entity) && redacted.reports(cell, of: commit.id, among: known)
      } ?? false
    }
  }
}
