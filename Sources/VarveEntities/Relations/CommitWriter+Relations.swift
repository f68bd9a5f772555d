package import VarveCore

/// An edge in its stored form: ownership is seen from the owner (R14).
package struct EdgeEnds {
  package let source: EntityID
  package let relation: Relation
  package let target: EntityID

  init(source: EntityID, relation: Relation, target: EntityID) {
    self.source = source
    self.relation = relation
    self.target = target
  }

  package init(_ from: EntityID, _ kind: RelationKind, _ to: EntityID, named name: PropertyKey) {
    source = kind == .ownedBy ? to : from
    target = kind == .ownedBy ? from : to
    relation = Relation(kind == .free ? .free : .owns, name)
  }
}

extension CommitWriter {
  /// Adds an edge, if it does not exist.
  package func relate(_ edge: EdgeEnds, at time: HybridTime?, isStated: Bool = false) async throws {
    try Names.validate(edge.relation.name.text, as: "a relation's name")
    let sourceStatus = try await requireEnds(of: edge)
    try await requireReachable(edge.source)
    if edge.relation.kind == .owns { try await requireReachable(edge.target) }
    let time = try await timeInLives(of: edge, at: time ?? defaultTime)
    let present = try await standing(edge, at: time)
    if let present {
      guard isStated, let time, try await !isSaid(present, at: time) else { return }
    }
    let end = try await end(of: edge, after: time)
    let actual = time == nil ? try await timeAboveRemovals(of: edge) : time
    let changes = try await apply(
      .add(edge.relation, target: edge.target, position: present?.position),
      to: edge.source,
      at: actual
    )
    if !changes.died.isEmpty {
      try await keepAlive(changes.died, and: sourceStatus == .unknown ? [edge.source] : [])
    }
    if let end { try await removeAdded(to: edge, since: present, from: time, at: end) }
  }

  /// Removes an edge, if it exists. No entity dies by it, unless the policy erases. A reference
  /// that is paired with the edge, at the date if there is one, is removed (R28).
  ///
  /// - Parameters:
  ///   - from: the end from which it is removed, which must not be dead.
  ///   - policy: the policy for an entity without an owner; nil for that of the relation.
  package func unrelate(
    _ edge: EdgeEnds,
    from: EntityID,
    orphans policy: OrphanPolicy?,
    at time: HybridTime?,
    isStated: Bool = false
  ) async throws {
    try Names.validate(edge.relation.name.text, as: "a relation's name")
    try await requireEnd(from, of: edge)
    let time = try await timeInLives(of: edge, at: time ?? defaultTime)
    let references = try await references(behind: edge, at: time)
    for reference in references { try await remove(reference, at: time) }
    if isStated, references.isEmpty, let time, try await standing(edge, at: time) == nil {
      return try await stateAbsence(of: edge, at: time)
    }
    try await unrelateOnly(edge, from: from, orphans: policy, at: time)
  }

  /// Removes an edge that belongs to no reference. See ``unrelate(_:from:orphans:at:)``.
  package func unrelateOnly(
    _ edge: EdgeEnds,
    from: EntityID,
    orphans policy: OrphanPolicy?,
    at time: HybridTime?
  ) async throws {
    guard let present = try await standing(edge, at: time) else { return }
    let policy = policy ?? orphanPolicies[edge.relation.name] ?? .keep
    var isOrphaned = false
    if policy != .keep, edge.relation.kind == .owns, try await isGivenUp(edge, by: present) {
      isOrphaned = try await isOnlyOwner(edge)
    }
    if isOrphaned, policy == .refuse { throw Self.orphaned(edge) }
    let time = time ?? defaultTime
    let actual = time == nil ? try await timeAboveAdds(of: edge) : time
    let changes = try await remove(present, at: actual)
    try await keepAlive(changes.died)
    if isOrphaned { _ = try await erase([edge.target], isStrict: false, at: time) }
  }

  /// Returns whether an owned entity has no other owner that is live or unknown. The entity itself
  /// does not count.
  func isOnlyOwner(_ edge: EdgeEnds) async throws -> Bool {
    guard edge.source != edge.target else { return false }
    for other in try await commit.edges(to: edge.target, of: .owns) where !other.isFromFormerLife {
      if other.source == edge.target { continue }
      if other.source == edge.source, other.relation == edge.relation { continue }
      switch try await commit.status(of: other.source) {
      case .live, .unknown: return false
      case .erased, .dead: break
      }
    }
    return true
  }

  static func orphaned(_ edge: EdgeEnds) -> VarveError {
    VarveError(
      .orphanRefused,
      "\"\(edge.source)\" is the only owner of \"\(edge.target)\", which must have one",
      at: "entity \(edge.target)",
      remedy: "Relate it to another owner first, or erase it.",
      entity: edge.target
    )
  }

  /// Throws `notFound` if the source is dead, or unknown in a free relation, or if the target is
  /// dead. Returns the status of the source.
  @discardableResult
  func requireEnds(of edge: EdgeEnds) async throws -> EntityStatus {
    let status = try await requireEnd(edge.source, of: edge)
    let targetStatus = try await commit.status(of: edge.target)
    if targetStatus == .erased || targetStatus == .dead {
      throw try await commit.absence(of: edge.target, status: targetStatus)
    }
    return status
  }

  @discardableResult
  private func requireEnd(_ id: EntityID, of edge: EdgeEnds) async throws -> EntityStatus {
    let status = try await commit.status(of: id)
    switch status {
    case .live: return status
    case .unknown where edge.relation.kind == .owns:
      if try await commit.canLive(id, restoringOwners: false) { return status }
      throw try await commit.absence(of: id, status: .dead)
    case .unknown, .erased, .dead: throw try await commit.absence(of: id, status: status)
    }
  }

  /// Returns whether all present adds of an edge were already in effect at a date.
  private func isGivenUp(_ edge: EdgeEnds, by then: RelationEdge) async throws -> Bool {
    guard let now = try await standing(edge, at: nil) else { return false }
    return Set(now.adds).isSubset(of: then.adds)
  }

  /// Returns an edge that counts at present, or at a date.
  func standing(_ edge: EdgeEnds, at time: HybridTime?) async throws -> RelationEdge? {
    let (source, relation, target) = (edge.source, edge.relation, edge.target)
    guard let time else { return try await commit.edge(from: source, in: relation, to: target) }
    return try await commit.edge(from: source, in: relation, to: target, at: time.lastOfDate)
  }

  /// Removes all adds of an edge.
  @discardableResult
  func remove(_ edge: RelationEdge, at time: HybridTime?) async throws -> LifeChanges {
    try await apply(together: [edge.removal(at: time)])
  }

  /// Removes the edges from dead owners to entities that would otherwise die by a commit that
  /// erases nothing (R16).
  ///
  /// - Parameters:
  ///   - dying: the entities that would die.
  ///   - unknown: entities without a creation that would die too. The dying ones are saved by
  ///     removing edges above these.
  ///   - time: the time from which the edges end; nil for that of the transaction.
  @discardableResult
  package func keepAlive(
    _ dying: [EntityID],
    and unknown: [EntityID] = [],
    at time: HybridTime? = nil
  ) async throws -> [EntityID] {
    var saved = Set(dying).union(unknown)
    var cuttable = Set(unknown)
    var pending = unknown + dying
    var removals: [WrittenCell] = []
    while let id = pending.popLast() {
      // An edge of a former life counts as from an erased owner, also if the present one is saved.
      for edge in try await commit.edges(to: id, of: .owns)
      where edge.isFromFormerLife || !saved.contains(edge.source) {
        if !edge.isFromFormerLife, cuttable.contains(id),
          try await commit.status(of: edge.source) == .unknown
        {
          saved.insert(edge.source)
          cuttable.insert(edge.source)
          pending.append(edge.source)
        } else {
          removals.append(edge.removal(at: time ?? defaultTime))
        }
      }
    }
    return try await apply(together: removals).revived
  }
}

extension RelationEdge {
  /// Returns the cell that removes all adds of the edge.
  func removal(at time: HybridTime?) -> WrittenCell {
    WrittenCell(source, .remove(relation, target: target, adds: adds), at: time)
  }
}
