package import VarveCore

extension CommitWriter {
  /// Restores an entity (R17), and returns everything that came back to life.
  package func restore(
    _ id: EntityID,
    _ mode: RestoreMode,
    at time: HybridTime?
  ) async throws -> [EntityID] {
    let status = try await commit.status(of: id)
    switch status {
    case .live: return []
    case .unknown: throw try await commit.absence(of: id, status: status)
    case .erased, .dead: break
    }
    let time = time ?? defaultTime
    let isAloneEnough = try await commit.canLive(id, restoringOwners: false)
    switch mode {
    case .ifOwned where !isAloneEnough: throw try await ownersDead(id)
    case .withOwners where !isAloneEnough:
      guard try await commit.canLive(id, restoringOwners: true) else {
        throw try await ownersReplaced(id)
      }
      return try await restoreUpwards(id, at: time)
    case .asRoot where !isAloneEnough:
      return try await restoreAsRoot(id, at: time)
    case .ifOwned, .withOwners, .asRoot:
      let revived = try await apply(together: restorations([id], at: time)).revived
      return try await commit.depthFirst(from: [id], among: revived)
    }
  }

  /// Returns the cells that restore the erased ones among some entities.
  private func restorations(_ ids: [EntityID], at time: HybridTime?) async throws -> [WrittenCell] {
    var cells: [WrittenCell] = []
    for id in ids where try await commit.status(of: id) == .erased {
      let time = try await lifeTime(of: id, at: time)
      cells.append(WrittenCell(id, .life(.restored), at: time))
    }
    return cells
  }

  /// Restores an entity and its owners level by level, until the entity lives.
  private func restoreUpwards(_ id: EntityID, at time: HybridTime?) async throws -> [EntityID] {
    let owners = try await Owners(of: id, in: commit)
    let restored = Array(owners.ids.prefix(owners.countToRestore()))
    let revived = try await apply(together: restorations(restored, at: time)).revived
    return try await commit.depthFirst(from: restored.reversed(), among: revived)
  }

  /// Restores an entity without its owners. None of them lives, so all their edges are removed.
  private func restoreAsRoot(_ id: EntityID, at time: HybridTime?) async throws -> [EntityID] {
    var cells = try await restorations([id], at: time)
    for edge in try await commit.edges(to: id, of: .owns) where edge.source != id {
      cells.append(edge.removal(at: time))
    }
    let revived = try await apply(together: cells).revived
    return try await commit.depthFirst(from: [id], among: revived)
  }

  private func ownersDead(_ id: EntityID) async throws -> VarveError {
    VarveError(
      .ownersDead,
      "the entity \"\(id)\" would stay dead with \(try await commit.owners(of: id))",
      at: "entity \(id)",
      remedy:
        "Restore it with its owners (`withOwners`, `--with-owners`) or without (`asRoot`, `--as-root`).",
      entity: id
    )
  }

  private func ownersReplaced(_ id: EntityID) async throws -> VarveError {
    let owners = try await commit.owners(of: id)
    return VarveError(
      .ownersDead,
      "the entity \"\(id)\" is no longer owned by \(owners): re-created since",
      at: "entity \(id)",
      remedy: "Restore it without owners (`asRoot`, `--as-root`); then relate it to one.",
      entity: id
    )
  }
}

extension BackendReader {
  /// Returns whether an entity would live if it were not erased itself: nothing above it is erased,
  /// or one of its owners lives or is not known yet (R16).
  ///
  /// - Parameter restoringOwners: whether everything above it is to be restored too.
  func canLive(_ id: EntityID, restoringOwners: Bool) async throws -> Bool {
    var isBelow = false
    var seen: Set<EntityID> = [id]
    var pending = [id]
    while let current = pending.popLast() {
      let edges = try await edges(to: current, of: .owns)
      if edges.isEmpty, current != id { return true }
      for edge in edges {
        guard !edge.isFromFormerLife else {
          isBelow = true
          continue
        }
        guard seen.insert(edge.source).inserted else { continue }
        switch try await status(of: edge.source) {
        case .live: return true
        case .erased where !restoringOwners: isBelow = true
        case .erased, .dead, .unknown: pending.append(edge.source)
        }
      }
    }
    return !isBelow
  }
}
