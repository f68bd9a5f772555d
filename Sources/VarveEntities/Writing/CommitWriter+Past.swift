import VarveCore

/// Writes for a past time when something later is stored.
extension CommitWriter {
  /// Makes an entity that was created later live from an earlier time. Returns whether values were
  /// written for that time or before it.
  func begin(_ id: EntityID, as type: EntityType, at time: HybridTime) async throws -> Bool {
    try await requireLive(id)
    var hasValues = false
    for version in try await commit.history(of: id, key: nil, limit: nil) {
      guard case .life(let life) = version.content else {
        if version.time <= time { hasValues = true }
        continue
      }
      var isRebirth = false
      if case .recreated = life { isRebirth = true }
      // A new cell belongs to the present life (R15), whatever its time.
      guard isRebirth || version.time <= time else { continue }
      throw VarveError(
        .invalidArgument,
        "the entity \"\(id)\" was erased, and created anew after this time",
        at: "entity \(id)",
        remedy: "Write dated states in the order of their dates.",
        entity: id
      )
    }
    let changes = try await apply(.life(.created(type, datestamp: nil)), to: id, at: time)
    try await keepAlive(changes.died)
    return hasValues
  }

  /// Returns the times of everything stored for a property, including its elements.
  func times(of id: EntityID, _ key: PropertyKey) async throws -> [HybridTime] {
    try await commit.memberHistory(of: id, key: key).map(\.time)
      + commit.history(of: id, key: key, limit: nil).map(\.time)
  }

  /// Returns the time of a to-many property that is set without one, so that it is above everything
  /// stored for the property (R4): nil, unless something lies in the future.
  func timeAboveStored(of id: EntityID, _ key: PropertyKey) async throws -> HybridTime? {
    guard commit.mayHoldLaterTimes, let last = try await times(of: id, key).max() else {
      return nil
    }
    return last > commit.time ? last.successor : nil
  }

  /// Gives a to-many property the targets from a time on, and restores the removed ones at the next
  /// change that is stored.
  func splice(
    _ id: EntityID,
    _ key: PropertyKey,
    to targets: [EntityID],
    as kind: CollectionKind,
    at time: HybridTime
  ) async throws -> Bool {
    let next = try await times(of: id, key).filter { $0 > time.lastOfDate }.min()
    let elements = try await elements(of: id, key, at: time)
    let change = arrangement(from: elements, to: targets, as: kind)
    let isNew = try await !isCollection(id, key, at: time)
    guard isNew || !change.isEmpty else { return false }
    let ends = next == nil ? [:] : try await ends(of: change.removed, in: id, key, after: time)
    try await arrange(id, key, change, at: time)
    // A later statement for an earlier date ends here.
    try await stateWhole(id, key, at: time)
    guard let next else { return true }
    let known = Set(elements.map(\.add))
    var back = Arrangement()
    back.removed = try await self.elements(of: id, key, at: time)
      .filter { !known.contains($0.add) }
    try await arrange(id, key, back, at: next)
    for element in change.removed where ends[element.add] != next {
      try await restore(element, in: id, key, at: next, until: ends[element.add])
    }
    return true
  }

  /// Returns the time after the given one at which each of some elements was removed.
  func ends(
    of elements: [Element],
    in id: EntityID,
    _ key: PropertyKey,
    after time: HybridTime
  ) async throws -> [AddID: HybridTime] {
    guard !elements.isEmpty else { return [:] }
    var ends: [AddID: HybridTime] = [:]
    for version in try await commit.memberHistory(of: id, key: key) where version.time > time {
      guard case .remove(_, _, let adds) = version.content else { continue }
      for add in adds { ends[add] = min(ends[add] ?? version.time, version.time) }
    }
    return ends
  }

  /// Restores an element at its position until the time of its removal.
  func restore(
    _ element: Element,
    in id: EntityID,
    _ key: PropertyKey,
    at time: HybridTime,
    until end: HybridTime?
  ) async throws {
    let relation = Relation(.member, key)
    let known = Set(try await commit.elements(of: id, key: key).map(\.add))
    try await apply(
      .add(relation, target: element.target, position: element.position),
      to: id,
      at: time
    )
    guard let end else { return }
    var undone = Arrangement()
    undone.removed = try await commit.elements(of: id, key: key)
      .filter { !known.contains($0.add) }
    try await arrange(id, key, undone, at: end)
  }
}
