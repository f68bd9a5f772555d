import VarveCore

/// The cells of a state, grouped by subject.
struct Gathering {
  struct Subject {
    var lives: [(order: CellOrder, life: Life, commit: CommitID)] = []
    var properties: [FoldedState.HistoryCell] = []
  }

  var subjects: [EntityID: Subject] = [:]
  var adds: [AddID: FoldedState.Edge] = [:]
  var members: [EntityID: [FoldedState.HistoryCell]] = [:]
  var removed: Set<AddID> = []
  let redacted: [CommitID: RedactedCells]
  /// The commits that are here and not withheld, whether or not they count in this state.
  let due: Set<CommitID>

  init(redacted: [CommitID: RedactedCells], due: Set<CommitID>) {
    self.redacted = redacted
    self.due = due
  }

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
      let place = position ?? ListPosition(stamp: order.commit.stamp.time, ordinal: cell.ordinal)
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
      guard let known = redacted.reported(named, of: relation, among: due) else { return }
      note(.remove(relation, target: target, adds: known), relation, of: cell, order, commit)
    }
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

extension [CommitID: RedactedCells] {
  /// Returns those of the adds that a removal names that are here and were not redacted; nil if
  /// there are none: then the removal is not reported either.
  fileprivate func reported(
    _ adds: [AddID],
    of relation: Relation,
    among due: Set<CommitID>
  ) -> [AddID]? {
    guard relation.kind == .member, !adds.isEmpty else { return adds }
    let kept = adds.filter { add in
      guard let commit = add.commit, due.contains(commit) else { return false }
      return self[commit]?.names(add.ordinal, relation.name) != true
    }
    return kept.isEmpty ? nil : kept
  }

  /// Returns whether the history of an entity lists a cell of a commit.
  ///
  /// - Parameter due: the commits that are not withheld.
  func reports(_ cell: Cell, of commit: CommitID, among due: Set<CommitID>) -> Bool {
    guard cell.content.isOfHistory, self[commit].map({ !$0.names(cell) }) ?? true else {
      return false
    }
    guard case .remove(let relation, _, let adds) = cell.content else { return true }
    let named = adds.map { AddID(commit: $0.commit ?? commit, ordinal: $0.ordinal) }
    return reported(named, of: relation, among: due) != nil
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
