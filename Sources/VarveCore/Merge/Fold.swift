/// The meaning of Varve: a function from a set of commits to a state, independent of their order.
///
/// The storage engines are tested against this model. It keeps all commits in memory and computes
/// each state from scratch.
///
/// - Complexity: `state` is O(cells × log cells).
public struct Fold: Sendable {
  package struct Entry: Sendable {
    package let header: CommitHeader
    package let cells: [Cell]
    package let redactions: [Redaction]

    package func order(hash: ContentDigest) -> CommitOrder {
      CommitOrder(stamp: header.stamp, hash: hash)
    }
  }

  package private(set) var commits: [CommitID: Entry] = [:]
  /// Whether any commit contains redactions.
  package private(set) var hasRedactions = false

  /// Whether the redactions of a commit apply; if not, the state is the one without them.
  private let forgets: @Sendable (CommitHeader) -> Bool

  /// Creates an empty fold.
  public init() { forgets = { _ in true } }

  /// Creates an empty fold that ignores some redactions.
  package init(forgetting forgets: @escaping @Sendable (CommitHeader) -> Bool) {
    self.forgets = forgets
  }

  /// Adds a commit; adding it again changes nothing.
  ///
  /// - Throws: ``VarveError`` with code `damaged` if the commit cannot be read.
  public mutating func insert(_ commit: Commit) throws {
    guard commits[commit.id] == nil else { return }
    try commit.verify()
    commits[commit.id] = Entry(
      header: commit.header,
      cells: try commit.cells(),
      redactions: try commit.redactions()
    )
    hasRedactions = hasRedactions || commit.header.kind == .redactions
  }

  /// The newest commit of every chain.
  public var frontier: Frontier {
    var predecessors: Set<ContentDigest> = []
    for entry in commits.values { predecessors.insert(entry.header.previous) }
    return Frontier(commits.keys.filter { !predecessors.contains($0.hash) })
  }

  /// Returns the commits a frontier names and all their predecessors.
  package func closure(of frontier: Frontier) -> Set<CommitID> {
    var closure: Set<CommitID> = []
    for head in frontier.heads {
      var next: CommitID? = head
      while let id = next, let entry = commits[id], closure.insert(id).inserted {
        next =
          id.sequence == 1
          ? nil
          : CommitID(
            replica: id.replica,
            sequence: id.sequence - 1,
            hash: entry.header.previous
          )
      }
    }
    return closure
  }

  /// Returns the state at a moment.
  ///
  /// - Parameters:
  ///   - moment: which cells count.
  ///   - wallMilliseconds: the local clock; commits stamped too far ahead of it are withheld (R11).
  ///     Nil withholds nothing.
  public func state(at moment: Moment = .now, wallMilliseconds: Int64? = nil) -> FoldedState {
    var gathering = Gathering(redacted: redactedCells(wallMilliseconds: wallMilliseconds))
    let included: Set<CommitID>? =
      if case .frontier(let frontier) = moment { closure(of: frontier) } else { nil }
    let cutoff = if case .time(let time) = moment { time } else { HybridTime.distantFuture }
    for (id, entry) in commits {
      if let included, !included.contains(id) { continue }
      guard isDue(entry, wallMilliseconds) else { continue }
      gathering.add(entry, id: id, cutoff: cutoff)
    }
    return gathering.state()
  }

  /// Returns the redacted cells of each commit, for any moment: what is redacted is absent from
  /// every past state too.
  package func redactedCells(wallMilliseconds: Int64? = nil) -> [CommitID: RedactedCells] {
    guard hasRedactions else { return [:] }
    var redacted: [CommitID: RedactedCells] = [:]
    for entry in commits.values
    where !entry.redactions.isEmpty && isDue(entry, wallMilliseconds) && forgets(entry.header) {
      for redaction in entry.redactions {
        redacted[redaction.commit, default: RedactedCells()].add(redaction.parts)
      }
    }
    return redacted
  }

  /// Throws if history was compacted beyond a moment.
  package func checkHorizons(_ moment: Moment, wallMilliseconds: Int64? = nil) throws {
    guard hasRedactions, moment != .now else { return }
    for entry in commits.values where isDue(entry, wallMilliseconds) && forgets(entry.header) {
      guard let horizon = try entry.header.horizon else { continue }
      switch moment {
      case .now: break
      case .time(let time): guard time >= horizon.time else { throw horizon.isPassed }
      case .frontier(let frontier):
        let isThere = Set(horizon.frontier.heads).isSubset(of: closure(of: frontier))
        guard isThere else { throw horizon.isPassed }
      }
    }
  }

  /// Whether a commit is not withheld.
  package func isDue(_ entry: Entry, _ wallMilliseconds: Int64?) -> Bool {
    guard let wallMilliseconds else { return true }
    return !HybridClock.isWithheld(entry.header.time, wallMilliseconds: wallMilliseconds)
  }

  /// Returns what the author of a commit saw when it was written: the state of everything it had
  /// seen, and of the commit.
  package func view(of id: CommitID) -> FoldedState {
    var gathering = Gathering(redacted: redactedCells())
    for other in seen(by: id) {
      guard let entry = commits[other] else { continue }
      gathering.add(entry, id: other, cutoff: .distantFuture)
    }
    return gathering.state()
  }
}

/// The cells of a state, grouped by subject.
private struct Gathering {
  struct Subject {
    var lives: [(order: CellOrder, life: Life, commit: CommitID)] = []
    var properties: [FoldedState.HistoryCell] = []
  }

  var subjects: [EntityID: Subject] = [:]
  var adds: [AddID: FoldedState.Edge] = [:]
  var members: [EntityID: [FoldedState.HistoryCell]] = [:]
  var removed: Set<AddID> = []
  let redacted: [CommitID: RedactedCells]

  init(redacted: [CommitID: RedactedCells]) { self.redacted = redacted }

  mutating func add(_ entry: Fold.Entry, id: CommitID, cutoff: HybridTime) {
    let commit = entry.order(hash: id.hash)
    let redacted = redacted[id]
    for cell in entry.cells {
      let time = cell.time ?? entry.header.time
      guard time <= cutoff, redacted.map({ !$0.names(cell) }) ?? true else { continue }
      add(cell, order: CellOrder(time: time, commit: commit, ordinal: cell.ordinal), commit: id)
    }
  }

  private mutating func add(_ cell: Cell, order: CellOrder, commit: CommitID) {
    switch cell.content {
    case .life(let life):
      subjects[cell.entity, default: Subject()].lives.append((order, life, commit))
    case .value, .removal, .collection:
      subjects[cell.entity, default: Subject()].properties.append(
        FoldedState.HistoryCell(content: cell.content, order: order, commit: commit)
      )
    case .add(let relation, let target, let position, let pairing):
      let id = AddID(commit: commit, ordinal: cell.ordinal)
      let place = position ?? Position(stamp: order.commit.stamp.time, ordinal: cell.ordinal)
      adds[id] = FoldedState.Edge(
        source: cell.entity,
        relation: relation,
        target: target,
        position: place,
        order: order,
        id: id,
        pairing: pairing
      )
      if pairing?.isVoid == true { removed.insert(id) }
      note(.add(relation, target: target, position: place), relation, of: cell, order, commit)
    case .remove(let relation, let target, let ids):
      let named = ids.map { AddID(commit: $0.commit ?? commit, ordinal: $0.ordinal) }
      removed.formUnion(named)
      let known = named.filter { !isForgotten($0, relation) }
      guard !known.isEmpty || named.isEmpty else { return }
      note(.remove(relation, target: target, adds: known), relation, of: cell, order, commit)
    }
  }

  /// Whether an element was redacted; its removal is then not reported either.
  private func isForgotten(_ add: AddID, _ relation: Relation) -> Bool {
    guard relation.kind == .member, let commit = add.commit else { return false }
    return redacted[commit]?.names(add.ordinal, relation.name) ?? false
  }

  /// Records a change of a to-many property.
  private mutating func note(
    _ content: Cell.Content,
    _ relation: Relation,
    of cell: Cell,
    _ order: CellOrder,
    _ commit: CommitID
  ) {
    guard relation.kind == .member else { return }
    members[cell.entity, default: []].append(
      FoldedState.HistoryCell(content: content, order: order, commit: commit)
    )
  }

  func state() -> FoldedState {
    var state = FoldedState()
    state.members = members
    var rebirths: [EntityID: CellOrder] = [:]
    for (id, subject) in subjects {
      let (entity, rebirth) = subject.entity(id)
      state.entities[id] = entity
      rebirths[id] = rebirth
    }
    let greatest = greatestPairs(rebirths)
    for (register, edge) in greatest {
      state.pairs[register] = (edge, removed.contains(edge.id))
    }
    state.edges = standingEdges(rebirths, Set(greatest.values.map(\.id)))
    state.applyLiveness()
    return state
  }

  /// Returns the greatest add of each register, whether or not it was removed (R28).
  private func greatestPairs(
    _ rebirths: [EntityID: CellOrder]
  ) -> [PairRegister: FoldedState.Edge] {
    var greatest: [PairRegister: FoldedState.Edge] = [:]
    for edge in adds.values {
      guard let register = edge.register(rebirths) else { continue }
      if let other = greatest[register], edge.order < other.order { continue }
      greatest[register] = edge
    }
    return greatest
  }

  /// Returns the adds that were not removed, without those that belong to a former life or are
  /// outranked by a greater add.
  private func standingEdges(
    _ rebirths: [EntityID: CellOrder],
    _ greatest: Set<AddID>
  ) -> [FoldedState.Edge] {
    var edges: [FoldedState.Edge] = []
    for (id, edge) in adds where !removed.contains(id) {
      guard edge.pairing == nil || greatest.contains(id) else { continue }
      var edge = edge
      if let rebirth = rebirths[edge.target], edge.relation.kind == .owns,
        rebirth.isWritten(after: edge.order)
      {
        continue
      }
      if let rebirth = rebirths[edge.source], rebirth.isWritten(after: edge.order) {
        guard edge.relation.kind == .owns else { continue }
        edge.isFromFormerLife = true
      }
      edges.append(edge)
    }
    return edges.sorted { left, right in
      if left.source != right.source { return left.source < right.source }
      if left.relation != right.relation { return left.relation < right.relation }
      if left.position != right.position { return left.position < right.position }
      return right.order.isWritten(after: left.order)
    }
  }
}

extension FoldedState.Edge {
  /// Returns the register of edges it is compared with, or nil if it is not paired.
  fileprivate func register(_ rebirths: [EntityID: CellOrder]) -> PairRegister? {
    guard let pairing else { return nil }
    let holder = pairing.end == .source ? source : target
    return PairRegister(
      holder: holder,
      relation: relation,
      pairing: pairing,
      isFormer: rebirths[holder]?.isWritten(after: order) ?? false
    )
  }
}

extension Gathering.Subject {
  /// Returns the entity, and its latest re-creation if there is one.
  fileprivate func entity(_ id: EntityID) -> (FoldedState.Entity, CellOrder?) {
    var entity = FoldedState.Entity(id: id)
    let rebirth = applyLives(to: &entity)
    applyProperties(to: &entity, since: rebirth)
    entity.history += lives.map {
      FoldedState.HistoryCell(content: .life($0.life), order: $0.order, commit: $0.commit)
    }
    entity.history.sort { left, right in
      if left.order != right.order { return right.order < left.order }
      // The cells of a creation share an ordinal: its values come first, in order of key, then its
      // life.
      guard let first = left.content.key else { return false }
      return right.content.key.map { first < $0 } ?? true
    }
    return (entity, rebirth)
  }

  private func applyLives(to entity: inout FoldedState.Entity) -> CellOrder? {
    var first: (order: CellOrder, type: EntityType, datestamp: HybridTime)?
    var rebirth: (order: CellOrder, type: EntityType, datestamp: HybridTime)?
    var register: (order: CellOrder, isErased: Bool)?
    for (order, life, _) in lives {
      switch life {
      case .created(let type, let datestamp):
        if first.map({ order < $0.order }) ?? true {
          first = (order, type, datestamp ?? order.time)
        }
        continue
      case .recreated(let type, let datestamp):
        if rebirth.map({ $0.order < order }) ?? true {
          rebirth = (order, type, datestamp ?? order.time)
        }
      case .erased, .restored: break
      }
      if register.map({ $0.order < order }) ?? true { register = (order, life == .erased) }
    }
    entity.isErased = register?.isErased ?? false
    if let origin = rebirth ?? first {
      entity.type = origin.type
      entity.datestamp = origin.datestamp
      entity.modified = origin.datestamp
      entity.creation = origin.order
    }
    return rebirth?.order
  }

  private func applyProperties(to entity: inout FoldedState.Entity, since rebirth: CellOrder?) {
    entity.history = properties.withoutOverwrittenInCommit
    for cell in entity.history {
      if let rebirth, !cell.order.isWritten(after: rebirth) { continue }
      guard let key = cell.content.key else { continue }
      entity.modified = max(entity.modified, cell.order.time)
      if let present = entity.properties[key], cell.order < present.order { continue }
      entity.properties[key] = FoldedState.Property(
        value: cell.content.value,
        semanticType: cell.content.semanticType ?? "",
        order: cell.order
      )
    }
    let removals = entity.history.filter { if case .removal = $0.content { true } else { false } }
    for cell in removals {
      guard let key = cell.content.key else { continue }
      if entity.properties[key]?.order == cell.order { entity.properties[key] = nil }
    }
  }
}

/// The identity of a property's write in a commit: of several with the same slot, the last counts.
private struct Slot: Hashable {
  let key: PropertyKey?
  let time: HybridTime
  let commit: CommitID
}

extension [FoldedState.HistoryCell] {
  /// Of several cells of one property and time in one commit, only the last counts (R3).
  fileprivate var withoutOverwrittenInCommit: [FoldedState.HistoryCell] {
    var kept: [Slot: FoldedState.HistoryCell] = [:]
    for cell in self {
      let slot = Slot(key: cell.content.key, time: cell.order.time, commit: cell.commit)
      if let other = kept[slot], cell.order.ordinal < other.order.ordinal { continue }
      kept[slot] = cell
    }
    return Array(kept.values)
  }
}

extension FoldedState {
  /// Applies R16 to the whole graph.
  fileprivate mutating func applyLiveness() {
    var numbers: [EntityID: Int] = [:]
    var ids: [EntityID] = []
    var nodes: [Liveness.Node] = []
    func number(_ id: EntityID, _ isErased: Bool) -> Int {
      if let number = numbers[id] { return number }
      numbers[id] = nodes.count
      ids.append(id)
      nodes.append(Liveness.Node(isErased: isErased))
      return nodes.count - 1
    }
    for (id, entity) in entities { _ = number(id, entity.isErased) }
    var pairs: [(owner: Int, owned: Int)] = []
    for edge in edges where edge.relation.kind == .owns {
      let owned = number(edge.target, false)
      guard !edge.isFromFormerLife else {
        nodes[owned].hasDeadEndOutside = true
        continue
      }
      pairs.append((number(edge.source, false), owned))
    }
    let liveness = Liveness(nodes: nodes, edges: pairs)
    for index in nodes.indices where liveness.isDead[index] {
      entities[ids[index], default: Entity(id: ids[index])].isDead = true
    }
  }
}
