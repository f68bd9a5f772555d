package import VarveCore

/// Folding history, by looking at every cell.
extension ReferenceLog {
  private struct Property: Hashable {
    let entity: EntityID
    let key: PropertyKey
  }

  private struct Place {
    let order: CellOrder
    let commit: CommitID
  }

  /// Returns the cells that no moment from a time on needs.
  package func supersededCells(
    upTo time: HybridTime,
    _ wallMilliseconds: Int64
  ) throws -> [Redaction] {
    let state = fold.state(wallMilliseconds: wallMilliseconds)
    let unseenDead = Set(
      fold.unseenDeaths(in: state, wallMilliseconds: wallMilliseconds).map(\.entity)
    )
    var seen: [CommitID: Set<CommitID>] = [:]
    var folded: [CommitID: [PropertyKey: [Int]]] = [:]
    for (property, cells) in places(upTo: time, wallMilliseconds)
    where !unseenDead.contains(property.entity) {
      let indices = SupersededCells.indices(among: cells, order: \.order) { later, earlier in
        if seen[later.commit] == nil { seen[later.commit] = fold.seen(by: later.commit) }
        return seen[later.commit]?.contains(earlier.commit) ?? false
      }
      for index in indices {
        folded[cells[index].commit, default: [:]][property.key, default: []].append(
          cells[index].order.ordinal
        )
      }
    }
    return folded.sorted { $0.key < $1.key }.map { commit, keys in
      Redaction(
        commit,
        keys.sorted { $0.key < $1.key }.map { .init(key: $0, ordinals: OrdinalSet($1)) }
      )
    }
  }

  private func places(upTo time: HybridTime, _ wallMilliseconds: Int64) -> [Property: [Place]] {
    let redacted = fold.redactedCells(wallMilliseconds: wallMilliseconds)
    var places: [Property: [Place]] = [:]
    for (id, entry) in fold.commits
    where entry.header.time <= time && fold.isDue(entry, wallMilliseconds) {
      for cell in entry.cells {
        let own = cell.time ?? entry.header.time
        guard let key = cell.content.key, own <= time,
          redacted[id].map({ !$0.names(cell) }) ?? true
        else { continue }
        let order = CellOrder(time: own, commit: entry.order(hash: id.hash), ordinal: cell.ordinal)
        places[Property(entity: cell.entity, key: key), default: []].append(
          Place(order: order, commit: id)
        )
      }
    }
    return places
  }

  /// Returns the commits stamped up to a time.
  package func horizon(upTo time: HybridTime, _ wallMilliseconds: Int64) -> Horizon {
    let folded = arrivals.filter { commit in
      commit.header.time <= time
        && !HybridClock.isWithheld(commit.header.time, wallMilliseconds: wallMilliseconds)
    }
    let predecessors = Set(folded.map(\.header.previous))
    let heads = folded.map(\.id).filter { !predecessors.contains($0.hash) }
    return Horizon(time: time, frontier: Frontier(heads))
  }
}
