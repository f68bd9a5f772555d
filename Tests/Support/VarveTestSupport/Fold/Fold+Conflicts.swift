package import VarveCore

/// Finds concurrent values, from the commits alone.
extension Fold {
  /// Returns everything a commit had seen: itself, its predecessors and their dependencies,
  /// transitively.
  package func seen(by id: CommitID) -> Set<CommitID> {
    var seen: Set<CommitID> = []
    var pending = [id]
    while let next = pending.popLast() {
      guard let entry = commits[next], seen.insert(next).inserted else { continue }
      pending += entry.header.dependencies
      if next.sequence > 1 {
        pending.append(
          CommitID(
            replica: next.replica,
            sequence: next.sequence - 1,
            hash: entry.header.previous
          )
        )
      }
    }
    return seen
  }

  /// Returns the properties of live entities that have differing concurrent values.
  package func conflicts(
    in state: FoldedState
  ) -> [(entity: EntityID, key: PropertyKey, cells: [FoldedState.HistoryCell])] {
    var conflicts: [(entity: EntityID, key: PropertyKey, cells: [FoldedState.HistoryCell])] = []
    var seen: [CommitID: Set<CommitID>] = [:]
    func hasSeen(_ later: CommitID, _ earlier: CommitID) -> Bool {
      if seen[later] == nil { seen[later] = self.seen(by: later) }
      return seen[later]?.contains(earlier) ?? false
    }
    for entity in state.live.sorted(by: { $0.id < $1.id }) {
      let cells = Dictionary(grouping: entity.presentLife().filter { $0.content.key != nil }) {
        $0.content.key ?? ""
      }
      for (key, cells) in cells.sorted(by: { $0.key < $1.key }) {
        let heads = Conflict.heads(among: cells, content: \.content) { later, cell in
          later.commit == cell.commit
            ? cell.order.ordinal < later.order.ordinal : hasSeen(later.commit, cell.commit)
        }
        if let heads { conflicts.append((entity.id, key, heads)) }
      }
    }
    return conflicts
  }
}

extension FoldedState.Entity {
  /// Returns the cells written since the latest re-creation, greatest first, optionally with the
  /// re-creation.
  package func presentLife(withRebirth isIncluded: Bool = false) -> [FoldedState.HistoryCell] {
    let rebirth = history.first { cell in
      if case .life(.recreated) = cell.content { true } else { false }
    }
    guard let rebirth else { return history }
    return history.filter { cell in
      isIncluded
        ? !rebirth.order.isWritten(after: cell.order) : cell.order.isWritten(after: rebirth.order)
    }
  }
}
