package import VarveCore

/// Finds entities that died by a merge and not by a decision, from the commits alone (R16).
extension Fold {
  /// A dead entity, the cells written to it without knowing of its death, which its erasers had not
  /// seen, and the erased entities it died with.
  package struct UnseenDeath: Sendable {
    package var entity: EntityID
    /// The unseen cells, greatest first.
    package var cells: [FoldedState.HistoryCell]
    /// The erased entities, in order of identifier.
    package var erased: [EntityID]
  }

  /// Returns the dead entities whose death no commit saw, or which have cells that no commit saw
  /// when it saw them die, written without knowledge of the death.
  ///
  /// A commit *saw* an entity die if it erased the entity or something above it, and the entity is
  /// dead in its view. It counts unless a later commit that had seen it, and changed a life or an
  /// ownership at or above the entity, has the entity live in its view.
  ///
  /// - Complexity: O(dead × commits × cells): it folds every view.
  package func unseenDeaths(
    in state: FoldedState,
    wallMilliseconds: Int64? = nil
  ) -> [UnseenDeath] {
    var trial = DeathTrial(self, wallMilliseconds)
    let dead = state.entities.values.filter { $0.type != nil && $0.isDead }
    return dead.sorted { $0.id < $1.id }.compactMap { trial.unseenDeath(of: $0, in: state) }
  }
}

/// The views of commits, folded on demand.
private struct DeathTrial {
  private let fold: Fold
  private let due: [CommitID: Fold.Entry]
  private var owners: [EntityID: Set<EntityID>] = [:]
  private var targets: [AddID: EntityID] = [:]
  /// The entities that the adds of each register of an owner own. One add may end the others (R28).
  private var paired: [PairRegister: Set<EntityID>] = [:]
  private var views: [CommitID: FoldedState] = [:]
  private var seen: [CommitID: Set<CommitID>] = [:]

  init(_ fold: Fold, _ wallMilliseconds: Int64?) {
    self.fold = fold
    due = fold.commits.filter { fold.isDue($0.value, wallMilliseconds) }
    for (id, entry) in due {
      for cell in entry.cells {
        guard case .add(let relation, let target, _, let pairing) = cell.content,
          relation.kind == .owns
        else { continue }
        if let register = Self.register(cell.entity, relation, pairing) {
          paired[register, default: []].insert(target)
        }
        owners[target, default: []].insert(cell.entity)
        targets[AddID(commit: id, ordinal: cell.ordinal)] = target
      }
    }
  }

  mutating func unseenDeath(
    of entity: FoldedState.Entity,
    in state: FoldedState
  ) -> Fold.UnseenDeath? {
    let cells = entity.presentLife(withRebirth: true).filter { $0.content != .life(.erased) }
    let witnesses = witnesses(of: entity.id)
    let unseen = cells.filter { cell in
      if witnesses.contains(where: { hasSeen($0, cell.commit) }) { return false }
      return !witnesses.contains { hasSeen(cell.commit, $0) }
        || !view(of: cell.commit).isKnownDead(entity.id)
    }
    guard witnesses.isEmpty || !unseen.isEmpty else { return nil }
    return Fold.UnseenDeath(
      entity: entity.id,
      cells: unseen,
      erased: state.erased(above: entity.id)
    )
  }

  /// Returns the commits that erased the entity or something above it and saw it dead, unless a
  /// later commit that had seen them has it live in its view.
  private mutating func witnesses(of id: EntityID) -> [CommitID] {
    let above = above(id)
    let touching = due.filter { touches($0.value, above, $0.key) }.map(\.key)
    let erasing = touching.filter { commit in
      due[commit]?.cells.contains {
        above.contains($0.entity) && $0.content == .life(.erased)
      } ?? false
    }
    return erasing.filter { commit in
      guard view(of: commit).isKnownDead(id) else { return false }
      return !touching.contains { later in
        later != commit && hasSeen(later, commit) && view(of: later).isLive(id)
      }
    }
  }

  /// Returns the entity and everything that owned it, directly or indirectly, at any time.
  private func above(_ id: EntityID) -> Set<EntityID> {
    var above: Set<EntityID> = [id]
    var pending = [id]
    while let next = pending.popLast() {
      for owner in owners[next] ?? [] where above.insert(owner).inserted { pending.append(owner) }
    }
    return above
  }

  /// Returns whether a commit changes a life or an ownership of these entities.
  private func touches(_ entry: Fold.Entry, _ above: Set<EntityID>, _ id: CommitID) -> Bool {
    entry.cells.contains { cell in
      switch cell.content {
      case .life: above.contains(cell.entity)
      case .add(let relation, let target, _, let pairing):
        relation.kind == .owns
          && (above.contains(target)
            || Self.register(cell.entity, relation, pairing)
              .map { !above.isDisjoint(with: paired[$0] ?? []) } ?? false)
      case .remove(_, _, let adds):
        adds.contains { add in
          targets[AddID(commit: add.commit ?? id, ordinal: add.ordinal)]
            .map { above.contains($0) } ?? false
        }
      case .value, .removal, .collection: false
      }
    }
  }

  private static func register(
    _ source: EntityID,
    _ relation: Relation,
    _ pairing: Pairing?
  ) -> PairRegister? {
    guard let pairing, pairing.end == .source else { return nil }
    return PairRegister(holder: source, relation: relation, pairing: pairing, isFormer: false)
  }

  private mutating func view(of id: CommitID) -> FoldedState {
    if let view = views[id] { return view }
    let view = fold.view(of: id)
    views[id] = view
    return view
  }

  private mutating func hasSeen(_ later: CommitID, _ earlier: CommitID) -> Bool {
    if seen[later] == nil { seen[later] = fold.seen(by: later) }
    return seen[later]?.contains(earlier) ?? false
  }
}

extension FoldedState {
  fileprivate func isKnownDead(_ id: EntityID) -> Bool {
    entities[id].map { $0.type != nil && $0.isDead } ?? false
  }

  /// Returns the nearest erased entities at or above one; former lives of owners count.
  fileprivate func erased(above id: EntityID) -> [EntityID] {
    var found: Set<EntityID> = []
    var visited: Set<EntityID> = [id]
    var pending = [id]
    while let next = pending.popLast() {
      guard entities[next]?.isErased != true else {
        found.insert(next)
        continue
      }
      for edge in edges where edge.target == next && edge.relation.kind == .owns {
        if edge.isFromFormerLife {
          found.insert(edge.source)
        } else if visited.insert(edge.source).inserted {
          pending.append(edge.source)
        }
      }
    }
    return found.sorted()
  }
}
