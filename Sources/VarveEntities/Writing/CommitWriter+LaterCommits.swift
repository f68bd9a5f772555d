import VarveCore

/// Writes below commits with later stamps. There are some if the clock was set back: this store
/// applied them, and stamps its own commits below them, because others would withhold them (R11).
/// What is compared by commit would then be in effect although it was written before.
extension CommitWriter {
  /// Returns a time for a cell, so that it is above those of later commits for exactly that time
  /// (R4).
  ///
  /// - Parameter key: the property; nil for the entity's life.
  func timeAboveLaterCommits(
    of entity: EntityID,
    _ key: PropertyKey?,
    at time: HybridTime
  ) async throws -> HybridTime {
    guard commit.mayHoldLaterTimes, try await hasCell(of: entity, key, at: time) else {
      return time
    }
    let later = try await commit.history(of: entity, key: key, limit: nil).filter {
      $0.commit.time > commit.time && $0.content.key == key
    }
    let taken = Set(later.map(\.time))
    var above = time
    while taken.contains(above) { above = above.successor }
    return above
  }

  /// Throws if an entity was created anew by a later commit. What this commit writes to it would
  /// count as written to its former life (R15).
  func requireReachable(_ id: EntityID) async throws {
    guard commit.mayHoldLaterTimes, try await commit.rebirth(of: id) != nil else { return }
    let birth = try await commit.history(of: id, key: nil, limit: nil)
      .first { $0.content.isRebirth }?.commit
    guard let birth, birth.time > commit.time else { return }
    throw VarveError(
      .invalidArgument,
      "the entity \"\(id)\" was re-created by commit \(birth.id), whose time is ahead of this clock",
      at: "entity \(id)",
      remedy: "Set the clock right, or wait until that commit's time.",
      entity: id
    )
  }

  /// Returns whether the greatest cell up to a time is one for exactly that time.
  private func hasCell(
    of entity: EntityID,
    _ key: PropertyKey?,
    at time: HybridTime
  ) async throws -> Bool {
    guard let key else { return try await commit.currentTime(of: entity, key: nil) == time }
    return try await commit.register(of: entity, key: key, at: time)?.time == time
  }

  /// Ends the ownerships and relations of a former life that would count in the new one, because
  /// later commits declared them (R15).
  ///
  /// - Parameters:
  ///   - revived: what the new life brought back.
  ///   - birth: the beginning of the new life; nil for the commit's time.
  /// - Returns: the properties of the former life that would count too, with times above their
  ///   cells.
  func endFormerLife(
    of id: EntityID,
    _ revived: [EntityID],
    at birth: HybridTime?
  ) async throws -> [PropertyKey: HybridTime] {
    guard commit.mayHoldLaterTimes else { return [:] }
    var cells: [WrittenCell] = []
    // An owner's former life counts as an erased owner, so its edges end too.
    for edge in try await commit.edges(to: id, of: .owns) {
      cells.append(edge.removal(at: birth))
    }
    for edge in try await commit.edges(from: id, in: nil)
    where edge.relation.kind != .member && !edge.isFromFormerLife && edge.target != id {
      cells.append(edge.removal(at: birth))
      // It was dead with the former life, and stays so.
      guard edge.relation.kind == .owns, revived.contains(edge.target) else { continue }
      let time = try await lifeTime(of: edge.target, at: birth)
      cells.append(WrittenCell(edge.target, .life(.erased), at: time))
    }
    try await keepAlive(try await apply(together: cells).died.filter { !revived.contains($0) })
    var remains: [PropertyKey: HybridTime] = [:]
    let keys = try await (commit.entity(id)?.keys ?? []) + commit.collections(of: id)
    for key in keys {
      guard let current = try await commit.currentTime(of: id, key: key) else { continue }
      remains[key] = max(current.successor, birth ?? commit.time)
    }
    return remains
  }
}
