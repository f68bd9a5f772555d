import VarveCore

extension Gathering.Subject {
  /// Returns the entity, and its latest re-creation if there is one.
  func entity(_ id: EntityID) -> (FoldedState.Entity, CellOrder?) {
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
  var withoutOverwrittenInCommit: [FoldedState.HistoryCell] {
    var kept: [Slot: FoldedState.HistoryCell] = [:]
    for cell in self {
      let slot = Slot(key: cell.content.key, time: cell.order.time, commit: cell.commit)
      if let other = kept[slot], cell.order.ordinal < other.order.ordinal { continue }
      kept[slot] = cell
    }
    return Array(kept.values)
  }
}
