public import VarveCore

/// The way to settle a conflict.
public enum ConflictResolution: Hashable, Sendable {
  /// The property gets the value of one of its versions, by its index in ``Conflict/versions``. If
  /// that was a removal, the property is removed.
  case version(Int)
  /// The property gets a value that is not among the versions; nil removes it.
  case value(Value?)
  /// The death is confirmed. Everything written to the entity stays in its history.
  case death
  /// The entity is restored.
  case restoring(RestoreMode)
}

extension CommitWriter {
  /// Settles a conflict. Returns whether anything had to be written.
  func resolve(
    _ conflict: Conflict,
    by resolution: ConflictResolution,
    at time: HybridTime?
  ) async throws -> Bool {
    try requireSeen(conflict, by: resolution)
    switch (resolution, conflict.key) {
    case (.version(let index), let key?):
      guard conflict.versions.indices.contains(index) else {
        throw Self.misfit(conflict, "it has no version \(index)", "Choose one from 0 on.")
      }
      try await requireLive(conflict.entity)
      let content = conflict.versions[index].content
      return try await settle(content, key, of: conflict.entity, at: time)
    case (.value(let value), let key?):
      try await requireLive(conflict.entity)
      let property = value.map { StoredEntity.Property($0) }
      try PropertyChange(key: key, property: property).validate()
      let content = property.map {
        Cell.Content.value(key, $0.value, semanticType: $0.semanticType)
      }
      return try await settle(content ?? .removal(key), key, of: conflict.entity, at: time)
    case (.death, nil): return try await confirmDeath(conflict, at: time)
    case (.restoring(let mode), nil):
      return try await !restore(conflict.entity, mode, at: time).isEmpty
    case (.version, nil), (.value, nil):
      throw Self.misfit(
        conflict,
        "it is a death",
        "Confirm the death, or restore the entity."
      )
    case (.death, _?), (.restoring, _?):
      throw Self.misfit(conflict, "it is about a value", "Choose a version, or another value.")
    }
  }

  /// Throws unless this commit has seen all versions of a conflict. It has not if the clock was set
  /// back: it is then stamped below commits that this store applied (R11, R13).
  private func requireSeen(_ conflict: Conflict, by resolution: ConflictResolution) throws {
    if case .restoring = resolution { return }
    guard let later = conflict.versions.map(\.commit).first(where: { $0.time >= commit.time })
    else { return }
    throw Self.misfit(
      conflict,
      "the clock is behind commit \(later.id), which takes part in it",
      "Set the clock right, or wait until that commit's time."
    )
  }

  /// Writes a property's cell even if the history has it at its time, because only a cell that has
  /// seen all others settles the conflict.
  private func settle(
    _ content: Cell.Content,
    _ key: PropertyKey,
    of id: EntityID,
    at time: HybridTime?
  ) async throws -> Bool {
    var time = time ?? defaultTime
    if time == nil { time = try await timeAboveCurrent(of: id, key) }
    try await applyPaired(content, key, to: id, at: time)
    return true
  }

  /// Confirms a death: erases again the entities it was due to, in a commit that has seen
  /// everything written to the entity. No hooks run, because no entity dies by it.
  ///
  /// If all those entities were created anew since, none of them is erased any longer. Then the
  /// entity itself is erased, which has the same effect.
  private func confirmDeath(_ conflict: Conflict, at time: HybridTime?) async throws -> Bool {
    guard try await commit.isDead(conflict.entity) else { return false }
    var cells: [WrittenCell] = []
    for id in conflict.erased where try await commit.status(of: id) == .erased {
      let time = try await lifeTime(of: id, at: time ?? defaultTime)
      cells.append(WrittenCell(id, .life(.erased), at: time))
    }
    if cells.isEmpty {
      let time = try await lifeTime(of: conflict.entity, at: time ?? defaultTime)
      cells.append(WrittenCell(conflict.entity, .life(.erased), at: time))
    }
    try await apply(together: cells)
    return true
  }

  private static func misfit(_ conflict: Conflict, _ why: String, _ remedy: String) -> VarveError {
    VarveError(
      .invalidArgument,
      "the conflict cannot be settled like this: \(why)",
      at: "entity \(conflict.entity)" + (conflict.key.map { ", property \($0)" } ?? ""),
      remedy: remedy
    )
  }

  /// Removes every ownership of an entity. Returns their number.
  func makeRoot(_ id: EntityID, at time: HybridTime?) async throws -> Int {
    try await requireLive(id)
    let time = time ?? defaultTime
    let owners = try await commit.edges(to: id, of: .owns).filter { !$0.isFromFormerLife }
    for owner in owners { try await removeReferences(behind: owner, at: time) }
    let edges = try await commit.edges(to: id, of: .owns).filter { !$0.isFromFormerLife }
    let changes = try await apply(together: edges.map { $0.removal(at: time) })
    try await keepAlive(changes.died)
    return owners.count
  }
}
