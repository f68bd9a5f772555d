package import VarveCore

extension CommitWriter {
  /// Makes a property to-many with the given targets, at present or from a time on.
  package func setCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    to targets: [EntityID],
    as kind: CollectionKind,
    at time: HybridTime?,
    isStated: Bool = false
  ) async throws -> Bool {
    try Names.validate(key)
    try await requireLive(id)
    var seen: Set<EntityID> = []
    let wanted = kind == .list ? targets : targets.filter { seen.insert($0).inserted }
    try await requireNoneDead(wanted)
    guard let time = try await timeInLife(of: id, at: time ?? defaultTime) else {
      return try await stateNow(id, key, to: wanted, as: kind)
    }
    return try await keepingStatements(of: id, key) {
      isStated
        ? try await state(id, key, to: wanted, as: kind, at: time)
        : try await splice(id, key, to: wanted, as: kind, at: time)
    }
  }

  /// Changes the elements to the given targets. Returns whether anything changed.
  private func rearrange(
    _ id: EntityID,
    _ key: PropertyKey,
    from elements: [Element],
    to targets: [EntityID],
    as kind: CollectionKind,
    at time: HybridTime? = nil
  ) async throws -> Bool {
    let arrangement = arrangement(from: elements, to: targets, as: kind)
    let isNew = try await markCollection(id, key, at: time)
    try await arrange(id, key, arrangement, at: time)
    return isNew || !arrangement.removed.isEmpty || !arrangement.added.isEmpty
  }

  /// Returns the elements of a to-many property at present, or at a date.
  func elements(
    of id: EntityID,
    _ key: PropertyKey,
    at time: HybridTime? = nil
  ) async throws -> [Element] {
    guard let time else { return try await commit.elements(of: id, key: key) }
    return try await commit.elements(of: id, key: key, at: time.lastOfDate)
  }

  /// Returns the changes that turn the elements into the given targets.
  func arrangement(
    from elements: [Element],
    to targets: [EntityID],
    as kind: CollectionKind
  ) -> Arrangement {
    guard kind != .set else { return Arrangement(from: elements, toSet: targets) }
    let end = ListPosition(stamp: commit.time, ordinal: .max)
    return Arrangement(from: elements, to: targets, end: end)
  }

  /// Adds targets at the end. A set gets only those it does not have.
  func addToCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    _ targets: [EntityID],
    as kind: CollectionKind,
    at time: HybridTime?,
    isStated: Bool = false
  ) async throws -> Bool {
    try Names.validate(key)
    try await requireLive(id)
    try await requireNoneDead(targets)
    let time = try await timeInLife(of: id, at: time ?? defaultTime)
    guard time != nil || hasStatedWhole(id, key) else {
      return try await add(targets, to: id, key, as: kind, at: nil, isStated: false)
    }
    return try await keepingStatements(of: id, key) {
      try await add(targets, to: id, key, as: kind, at: time, isStated: isStated)
    }
  }

  private func add(
    _ targets: [EntityID],
    to id: EntityID,
    _ key: PropertyKey,
    as kind: CollectionKind,
    at time: HybridTime?,
    isStated: Bool
  ) async throws -> Bool {
    // Elements under another value are hidden, and are removed when the property becomes a set
    // again.
    let present = try await elements(of: id, key, at: time)
    let isSet = try await isCollection(id, key, at: time)
    let all = (isSet ? present.map(\.target) : []) + targets
    var seen: Set<EntityID> = []
    let wanted = kind == .list ? all : all.filter { seen.insert($0).inserted }
    let edges = Set(targets).sorted().map {
      EdgeEnds(source: id, relation: Relation(.member, key), target: $0)
    }
    let ends = try await statedEnds(of: edges, after: time)
    var isChanged = try await rearrange(id, key, from: present, to: wanted, as: kind, at: time)
    if isStated, isSet, kind != .list, let time {
      isChanged = try await declareAgain(edges, of: present, at: time) || isChanged
    }
    try await endAdded(ends, from: time)
    return isChanged
  }

  /// Adds elements of a set again that are in effect at a date, at their positions, unless an add
  /// for exactly that date is stored. Returns whether anything was written.
  private func declareAgain(
    _ edges: [EdgeEnds],
    of present: [Element],
    at time: HybridTime
  ) async throws -> Bool {
    var isChanged = false
    for edge in edges {
      guard let element = present.first(where: { $0.target == edge.target }),
        let standing = try await standing(edge, at: time),
        try await !isSaid(standing, at: time)
      else { continue }
      let add = Cell.Content.add(edge.relation, target: edge.target, position: element.position)
      try await apply(add, to: edge.source, at: time)
      isChanged = true
    }
    return isChanged
  }

  /// Removes every known add of the targets, or those that counted at a date.
  func removeFromCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    _ targets: [EntityID],
    at time: HybridTime?,
    isStated: Bool = false
  ) async throws -> Bool {
    try Names.validate(key)
    try await requireLive(id)
    let time = try await timeInLife(of: id, at: time ?? defaultTime)
    let unwanted = Set(targets)
    var arrangement = Arrangement()
    if try await isCollection(id, key, at: time) {
      arrangement.removed = try await elements(of: id, key, at: time)
        .filter { unwanted.contains($0.target) }
    }
    guard isStated, let time else {
      try await arrange(id, key, arrangement, at: time)
      return !arrangement.removed.isEmpty
    }
    let before = writeCount
    try await keepingStatements(of: id, key) {
      try await arrangeStated(id, key, arrangement, at: time)
      for target in unwanted.subtracting(arrangement.removed.map(\.target)).sorted() {
        let edge = EdgeEnds(source: id, relation: Relation(.member, key), target: target)
        guard try await standing(edge, at: time) == nil else { continue }
        try await stateAbsence(of: edge, at: time)
      }
    }
    return writeCount > before
  }

  /// Marks a property as to-many if it is not. Returns whether it had to.
  func markCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    at time: HybridTime?
  ) async throws -> Bool {
    guard try await !isCollection(id, key, at: time) else { return false }
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
      let edge = EdgeEnds(source: id, relation: relation, target: target)
      let actual = time == nil ? try await timeAboveAdds(of: edge) : time
      let removal = Cell.Content.remove(relation, target: target, adds: elements.map(\.add))
      try await apply(removal, to: id, at: actual)
    }
    for (target, position) in arrangement.added {
      let edge = EdgeEnds(source: id, relation: relation, target: target)
      let actual = time == nil ? try await timeAboveRemovals(of: edge) : time
      try await apply(.add(relation, target: target, position: position), to: id, at: actual)
    }
  }

  /// Throws `notFound` for the first of some targets that is dead.
  private func requireNoneDead(_ targets: [EntityID]) async throws {
    var seen: Set<EntityID> = []
    for target in targets where seen.insert(target).inserted { try await requireNotDead(target) }
  }

  func requireNotDead(_ id: EntityID) async throws {
    let status = try await commit.status(of: id)
    guard status == .erased || status == .dead else { return }
    throw try await commit.absence(of: id, status: status)
  }
}

extension [Element] {
  /// The elements of each target, in the order in which the targets first occur.
  fileprivate var byTarget: [(EntityID, [Element])] {
    let groups = Dictionary(grouping: self, by: \.target)
    var seen: Set<EntityID> = []
    return compactMap { element in
      guard seen.insert(element.target).inserted else { return nil }
      return (element.target, groups[element.target] ?? [])
    }
  }
}
