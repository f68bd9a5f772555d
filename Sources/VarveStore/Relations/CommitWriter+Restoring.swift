import VarveCore

extension CommitWriter {
  /// Brings an entity back to life (R17), and answers everything that came back.
  func restore(
    _ id: EntityID,
    _ mode: RestoreMode,
    at time: HybridTime?
  ) async throws -> [EntityID] {
    let status = try await writer.status(of: id)
    switch status {
    case .live: return []
    case .unknown: throw try await writer.absence(of: id, status: status)
    case .erased, .dead: break
    }
    let time = time ?? defaultTime
    let isAloneEnough = try await canLive(id, restoringOwners: false)
    switch mode {
    case .ifOwned where !isAloneEnough: throw try await ownersDead(id)
    case .withOwners where !isAloneEnough:
      guard try await canLive(id, restoringOwners: true) else {
        throw try await ownersReplaced(id)
      }
      return try await restoreUpwards(id, at: time)
    case .asRoot where !isAloneEnough:
      return try await restoreAsRoot(id, at: time)
    case .ifOwned, .withOwners, .asRoot:
      return try await depthFirst(from: [id], among: try await setRestored(id, at: time))
    }
  }

  /// Restores one entity's register, if it is erased.
  private func setRestored(_ id: EntityID, at time: HybridTime?) async throws -> [EntityID] {
    guard try await writer.status(of: id) == .erased else { return [] }
    let time = try await lifeTime(of: id, at: time)
    return try await apply(.life(.restored), to: id, at: time).revived
  }

  /// Restores an entity, then its owners level by level, until it lives.
  private func restoreUpwards(_ id: EntityID, at time: HybridTime?) async throws -> [EntityID] {
    var revived: [EntityID] = []
    var restored: [EntityID] = []
    var seen: Set<EntityID> = [id]
    var pending = [id]
    var next = 0
    while next < pending.count {
      let current = pending[next]
      next += 1
      revived += try await setRestored(current, at: time)
      restored.append(current)
      if case .live = try await writer.status(of: id) { break }
      for edge in try await writer.edges(to: current, of: .owns)
      where !edge.isFromFormerLife && seen.insert(edge.source).inserted {
        pending.append(edge.source)
      }
    }
    return try await depthFirst(from: restored.reversed(), among: revived)
  }

  /// Restores an entity without its owners: none of them lives, so none of their edges stays.
  private func restoreAsRoot(_ id: EntityID, at time: HybridTime?) async throws -> [EntityID] {
    var revived = try await setRestored(id, at: time)
    for edge in try await writer.edges(to: id, of: .owns) where edge.source != id {
      revived += try await remove(edge, at: time).revived
    }
    return try await depthFirst(from: [id], among: revived)
  }

  /// Whether an entity would live if it were not erased itself: nothing above it is erased, or one
  /// of its owners lives, or is not known yet (R16).
  ///
  /// - Parameter restoringOwners: whether everything above it is to be restored too.
  func canLive(_ id: EntityID, restoringOwners: Bool) async throws -> Bool {
    var isBelow = false
    var seen: Set<EntityID> = [id]
    var pending = [id]
    while let current = pending.popLast() {
      let edges = try await writer.edges(to: current, of: .owns)
      if edges.isEmpty, current != id { return true }
      for edge in edges {
        guard !edge.isFromFormerLife else {
          isBelow = true
          continue
        }
        guard seen.insert(edge.source).inserted else { continue }
        switch try await writer.status(of: edge.source) {
        case .live: return true
        case .erased where !restoringOwners: isBelow = true
        case .erased, .dead, .unknown: pending.append(edge.source)
        }
      }
    }
    return !isBelow
  }

  private func ownersDead(_ id: EntityID) async throws -> VarveError {
    VarveError(
      .ownersDead,
      "the entity \"\(id)\" would stay dead with \(try await writer.owners(of: id))",
      at: "entity \(id)",
      remedy: "Restore it `withOwners`, or `asRoot` to leave them."
    )
  }

  private func ownersReplaced(_ id: EntityID) async throws -> VarveError {
    VarveError(
      .ownersDead,
      "the entity \"\(id)\" was owned by \(try await writer.owners(of: id)), created anew since",
      at: "entity \(id)",
      remedy: "Restore it `asRoot`; then relate it to an owner."
    )
  }
}
