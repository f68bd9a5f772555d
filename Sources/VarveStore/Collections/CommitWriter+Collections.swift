import VarveCore

extension CommitWriter {
  /// Makes a property a to-many one that holds given targets.
  ///
  /// - Parameter new: the targets that must not be dead; all if nil.
  func setCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    to targets: [EntityID],
    as kind: CollectionKind,
    at time: HybridTime?,
    adding new: [EntityID]? = nil
  ) async throws -> Bool {
    try Names.validate(key)
    try await requireLive(id)
    var seen: Set<EntityID> = []
    let wanted = kind == .list ? targets : targets.filter { seen.insert($0).inserted }
    for target in Set(new ?? wanted) { try await requireNotDead(target) }
    let elements = try await writer.elements(of: id, key: key)
    let arrangement = arrangement(from: elements, to: wanted, as: kind)
    let isNew = try await markCollection(id, key, at: time ?? defaultTime)
    try await arrange(id, key, arrangement, at: time ?? defaultTime)
    return isNew || !arrangement.removed.isEmpty || !arrangement.added.isEmpty
  }

  /// What makes elements hold given targets.
  func arrangement(
    from elements: [Element],
    to targets: [EntityID],
    as kind: CollectionKind
  ) -> Arrangement {
    guard kind != .set else { return Arrangement(from: elements, toSet: targets) }
    let end = Position(stamp: writer.time, ordinal: .max)
    return Arrangement(from: elements, to: targets, end: end)
  }

  /// Adds targets at the end; a set gets only those it does not hold.
  func addToCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    _ targets: [EntityID],
    as kind: CollectionKind,
    at time: HybridTime?
  ) async throws -> Bool {
    let isSet = try await writer.isCollection(id, key)
    let present = isSet ? try await writer.elements(of: id, key: key).map(\.target) : []
    return try await setCollection(
      id,
      key,
      to: present + targets,
      as: kind,
      at: time,
      adding: targets
    )
  }

  /// Removes every add of the targets that is known here.
  func removeFromCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    _ targets: [EntityID],
    at time: HybridTime?
  ) async throws -> Bool {
    try Names.validate(key)
    try await requireLive(id)
    guard try await writer.isCollection(id, key) else { return false }
    let unwanted = Set(targets)
    var arrangement = Arrangement()
    arrangement.removed = try await writer.elements(of: id, key: key)
      .filter { unwanted.contains($0.target) }
    try await arrange(id, key, arrangement, at: time ?? defaultTime)
    return !arrangement.removed.isEmpty
  }

  /// Says that a property is a to-many one, if it is not; answers whether it had to.
  func markCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    at time: HybridTime?
  ) async throws -> Bool {
    guard try await !writer.isCollection(id, key) else { return false }
    return try await write(.collection(key), key, to: id, at: time)
  }

  func arrange(
    _ id: EntityID,
    _ key: PropertyKey,
    _ arrangement: Arrangement,
    at time: HybridTime?
  ) async throws {
    let relation = Relation(.member, key)
    for (target, elements) in arrangement.removed.byTarget {
      try await apply(
        .remove(relation, target: target, adds: elements.map(\.add)),
        to: id,
        at: time
      )
    }
    for (target, position) in arrangement.added {
      try await apply(.add(relation, target: target, position: position), to: id, at: time)
    }
  }

  func requireNotDead(_ id: EntityID) async throws {
    let status = try await writer.status(of: id)
    guard status == .erased || status == .dead else { return }
    throw try await writer.absence(of: id, status: status)
  }
}

extension [Element] {
  /// The elements of each target, targets in the order they come first.
  fileprivate var byTarget: [(EntityID, [Element])] {
    let groups = Dictionary(grouping: self, by: \.target)
    var seen: Set<EntityID> = []
    return compactMap { element in
      guard seen.insert(element.target).inserted else { return nil }
      return (element.target, groups[element.target] ?? [])
    }
  }
}
