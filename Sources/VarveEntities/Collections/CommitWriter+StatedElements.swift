import VarveCore

/// Statements about to-many properties for a date (R4). One about an element holds until the next
/// one about that element or about the whole property; one about the whole property, until the next
/// of either kind.
extension CommitWriter {
  /// An edge that is about to be added, as it stands at the date, and the date at which it ends.
  typealias StatedEnd = (edge: EdgeEnds, former: RelationEdge?, end: HybridTime)

  /// Changes the targets of a to-many property at present, and states them if they change. Returns
  /// whether they do.
  func stateNow(
    _ id: EntityID,
    _ key: PropertyKey,
    to targets: [EntityID],
    as kind: CollectionKind
  ) async throws -> Bool {
    let change = arrangement(from: try await elements(of: id, key), to: targets, as: kind)
    let isNew = try await !isCollection(id, key, at: nil)
    guard isNew || !change.isEmpty else { return false }
    let above = try await timeAboveStored(of: id, key)
    try await arrange(id, key, change, at: above)
    try await stateWhole(id, key, at: above)
    return true
  }

  /// States the targets of a to-many property from a time on. Returns whether anything was written.
  func state(
    _ id: EntityID,
    _ key: PropertyKey,
    to targets: [EntityID],
    as kind: CollectionKind,
    at time: HybridTime
  ) async throws -> Bool {
    let count = writeCount
    let elements = try await elements(of: id, key, at: time)
    let change = arrangement(from: elements, to: targets, as: kind)
    _ = try await markCollection(id, key, at: time)
    try await arrangeStated(id, key, change, at: time)
    try await stateWhole(id, key, at: time)
    return writeCount != count
  }

  /// Changes elements from a time on. What later statements say stays.
  func arrangeStated(
    _ id: EntityID,
    _ key: PropertyKey,
    _ change: Arrangement,
    at time: HybridTime
  ) async throws {
    let next = try await wholeStatement(of: id, key, after: time)
    let edges = Set(change.added.map(\.target)).sorted().map {
      EdgeEnds(source: id, relation: Relation(.member, key), target: $0)
    }
    let added = try await statedEnds(of: edges, after: time)
    let removals = try await ends(of: change.removed, in: id, key, after: time)
    try await arrange(id, key, change, at: time)
    try await endAdded(added, from: time)
    guard let next else { return }
    for element in change.removed where removals[element.add].map({ $0 > next }) ?? true {
      try await restore(element, in: id, key, at: next, until: removals[element.add])
    }
  }

  /// Returns those of some edges that end after a date, if they are added for it.
  func statedEnds(of edges: [EdgeEnds], after time: HybridTime?) async throws -> [StatedEnd] {
    var ends: [StatedEnd] = []
    for edge in edges {
      guard let end = try await end(of: edge, after: time) else { continue }
      ends.append((edge, try await standing(edge, at: time), end))
    }
    return ends
  }

  /// Ends what was added to some edges.
  func endAdded(_ ends: [StatedEnd], from time: HybridTime?) async throws {
    for (edge, former, end) in ends {
      try await removeAdded(to: edge, since: former, from: time, at: end)
    }
  }
}

/// A marker states the whole property if its commit adds no element for the same time after it.
/// Before elements, it says only that the property is to-many.
extension CommitWriter {
  /// Writes elements, and then again the markers of this commit that stated the whole property.
  func keepingStatements<Result>(
    of id: EntityID,
    _ key: PropertyKey,
    _ write: () async throws -> Result
  ) async throws -> Result {
    let own = commit.time
    let times = try await wholeStatements(of: id, key).filter { $0.commit.time == own }
      .map(\.time)
    let result = try await write()
    for time in times { try await stateWhole(id, key, at: time) }
    return result
  }

  /// Writes that the elements at a time are the whole property, unless that is stored; without a
  /// time, that the present ones are.
  func stateWhole(_ id: EntityID, _ key: PropertyKey, at time: HybridTime?) async throws {
    guard let time, time != commit.time else {
      noteStatedWhole(id, key)
      return try await applyPaired(.collection(key), key, to: id, at: nil)
    }
    guard try await !wholeStatements(of: id, key).contains(where: { $0.time == time }) else {
      return
    }
    let above = try await timeAboveLaterCommits(of: id, key, at: time)
    try await applyPaired(.collection(key), key, to: id, at: above)
  }

  /// Returns the first later date for which the whole of a to-many property is stated; nil if there
  /// is none.
  func wholeStatement(
    of id: EntityID,
    _ key: PropertyKey,
    after time: HybridTime
  ) async throws -> HybridTime? {
    try await wholeStatements(of: id, key).map(\.time).filter { $0 > time.lastOfDate }.min()
  }

  /// Returns the versions of a property that state all its elements.
  func wholeStatements(of id: EntityID, _ key: PropertyKey) async throws -> [Version] {
    let markers = try await commit.history(of: id, key: key, limit: nil)
      .filter { $0.content == .collection(key) }
    guard !markers.isEmpty else { return [] }
    let adds = try await commit.adds(from: id, in: Relation(.member, key))
    return markers.filter { marker in
      !adds.contains { add in
        add.commit.id == marker.commit.id && add.time == marker.time
          && marker.ordinal.map { $0 < add.add.ordinal } ?? true
      }
    }
  }
}
