import VarveCore

/// Finds when entities died with their owners.
extension CommitWriter {
  /// Returns the time of a new life of a dead entity: the given one, unless it lived at that time
  /// or later (R15). Then it is the time at which it died with its owners.
  ///
  /// An entity that was erased itself has a cell that says when.
  func timeAfterDeath(of id: EntityID, at time: HybridTime?) async throws -> HybridTime? {
    guard let time, time < commit.time, try await commit.status(of: id) == .dead else {
      return time
    }
    do {
      return try await lastDeath(of: id, after: time)
    } catch let error as VarveError where error.code == .compacted {
      return nil
    }
  }

  /// Returns the last time at which an entity ceased to live, or the given one if it was dead then
  /// and ever since; nil for the commit's own time.
  private func lastDeath(of id: EntityID, after time: HybridTime) async throws -> HybridTime? {
    let later = try await timesOfLives(above: id).filter { time < $0 && $0 < commit.time }
    let moments = [time] + Set(later).sorted()
    for (index, moment) in moments.enumerated().reversed() {
      guard let past = try await commit.past(moment), case .live = try await past.status(of: id)
      else { continue }
      return index + 1 < moments.count ? moments[index + 1] : nil
    }
    return time
  }

  /// Returns the times at which the lives and the ownerships changed that an entity depends on.
  private func timesOfLives(above id: EntityID) async throws -> [HybridTime] {
    var times: [HybridTime] = []
    var seen: Set<EntityID> = [id]
    var pending = [id]
    while let next = pending.popLast() {
      times += try await commit.history(of: next, key: nil, limit: nil)
        .filter { $0.content.key == nil }.map(\.time)
      for edge in try await commit.edges(to: next, of: .owns) {
        times += try await commit.adds(from: edge.source, in: edge.relation)
          .filter { $0.target == next }.flatMap { [$0.time] + $0.removals.map(\.time) }
        if seen.insert(edge.source).inserted { pending.append(edge.source) }
      }
    }
    return times
  }
}
