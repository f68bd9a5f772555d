import VarveCore

/// An edge as it is stored: ownership seen from the owner (R14).
struct EdgeEnds {
  let source: EntityID
  let relation: Relation
  let target: EntityID

  init(source: EntityID, relation: Relation, target: EntityID) {
    self.source = source
    self.relation = relation
    self.target = target
  }

  init(_ from: EntityID, _ kind: RelationKind, _ to: EntityID, named name: PropertyKey) {
    source = kind == .ownedBy ? to : from
    target = kind == .ownedBy ? from : to
    relation = Relation(kind == .free ? .free : .owns, name)
  }
}

extension CommitWriter {
  /// Declares an edge, once.
  func relate(_ edge: EdgeEnds, at time: HybridTime?) async throws {
    try Names.validate(edge.relation.name.text, as: "a relation's name")
    let sourceStatus = try await requireEnds(of: edge)
    let time = time ?? defaultTime
    guard try await standing(edge, at: time) == nil else { return }
    let changes = try await apply(
      .add(edge.relation, target: edge.target, position: nil),
      to: edge.source,
      at: time
    )
    guard !changes.died.isEmpty else { return }
    try await keepAlive(changes.died, and: sourceStatus == .unknown ? [edge.source] : [])
  }

  /// Takes an edge back, if it stands. Nothing dies of it, unless the policy says so. A reference it is
  /// one fact with is removed (R28).
  ///
  /// - Parameters:
  ///   - from: the end it is taken back from, which must not be dead.
  ///   - policy: what becomes of what nothing owns then; nil for that of the relation.
  func unrelate(
    _ edge: EdgeEnds,
    from: EntityID,
    orphans policy: OrphanPolicy?,
    at time: HybridTime?
  ) async throws {
    try Names.validate(edge.relation.name.text, as: "a relation's name")
    try await requireEnd(from, of: edge)
    let time = time ?? defaultTime
    for reference in try await references(behind: edge) {
      _ = try await write(.removal(reference.key), reference.key, to: reference.holder, at: time)
    }
    try await unrelateOnly(edge, from: from, orphans: policy, at: time)
  }

  /// The same, of an edge that is no reference's.
  func unrelateOnly(
    _ edge: EdgeEnds,
    from: EntityID,
    orphans policy: OrphanPolicy?,
    at time: HybridTime?
  ) async throws {
    guard let present = try await standing(edge, at: time) else { return }
    let policy = policy ?? orphanPolicies[edge.relation.name] ?? .keep
    var isOrphaned = false
    if policy != .keep, edge.relation.kind == .owns { isOrphaned = try await isOnlyOwner(edge) }
    if isOrphaned, policy == .refuse { throw Self.orphaned(edge) }
    let changes = try await remove(present, at: time ?? defaultTime)
    try await keepAlive(changes.died)
    if isOrphaned { _ = try await erase([edge.target], isStrict: false, at: time) }
  }

  /// Whether an owned entity has no other owner that lives or may: itself does not count.
  func isOnlyOwner(_ edge: EdgeEnds) async throws -> Bool {
    guard edge.source != edge.target else { return false }
    for other in try await writer.edges(to: edge.target, of: .owns) where !other.isFromFormerLife {
      if other.source == edge.target { continue }
      if other.source == edge.source, other.relation == edge.relation { continue }
      switch try await writer.status(of: other.source) {
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
      remedy: "Relate it to another owner first, or erase it."
    )
  }

  /// Throws `notFound` for a source that is dead, or unknown where the relation is free, and for a
  /// target that is dead. Answers the status of the source.
  @discardableResult
  func requireEnds(of edge: EdgeEnds) async throws -> EntityStatus {
    let status = try await requireEnd(edge.source, of: edge)
    let targetStatus = try await writer.status(of: edge.target)
    if targetStatus == .erased || targetStatus == .dead {
      throw try await writer.absence(of: edge.target, status: targetStatus)
    }
    return status
  }

  @discardableResult
  private func requireEnd(_ id: EntityID, of edge: EdgeEnds) async throws -> EntityStatus {
    let status = try await writer.status(of: id)
    switch status {
    case .live: return status
    case .unknown where edge.relation.kind == .owns:
      if try await writer.canLive(id, restoringOwners: false) { return status }
      throw try await writer.absence(of: id, status: .dead)
    case .unknown, .erased, .dead: throw try await writer.absence(of: id, status: status)
    }
  }

  /// An edge as it stands, or stood at a date.
  private func standing(_ edge: EdgeEnds, at time: HybridTime?) async throws -> RelationEdge? {
    let (source, relation, target) = (edge.source, edge.relation, edge.target)
    guard let time else { return try await writer.edge(from: source, in: relation, to: target) }
    return try await writer.edge(from: source, in: relation, to: target, at: time.lastOfDate)
  }

  /// Removes all adds of an edge.
  @discardableResult
  func remove(_ edge: RelationEdge, at time: HybridTime?) async throws -> LifeChanges {
    try await apply(together: [edge.removal(at: time)])
  }

  /// Removes the edges from dead owners into what would otherwise die of a commit that erases
  /// nothing (R16).
  ///
  /// - Parameters:
  ///   - dying: what would die.
  ///   - unknown: entities nobody created yet that would die with it; what would die is saved by
  ///     cutting above them.
  @discardableResult
  func keepAlive(_ dying: [EntityID], and unknown: [EntityID] = []) async throws -> [EntityID] {
    var saved = Set(dying).union(unknown)
    var cuttable = Set(unknown)
    var pending = unknown + dying
    var removals: [WrittenCell] = []
    while let id = pending.popLast() {
      // What owned it in a former life is dead, though the same identifier may be among the saved.
      for edge in try await writer.edges(to: id, of: .owns)
      where edge.isFromFormerLife || !saved.contains(edge.source) {
        if !edge.isFromFormerLife, cuttable.contains(id),
          try await writer.status(of: edge.source) == .unknown
        {
          saved.insert(edge.source)
          cuttable.insert(edge.source)
          pending.append(edge.source)
        } else {
          removals.append(edge.removal(at: defaultTime))
        }
      }
    }
    return try await apply(together: removals).revived
  }
}

extension RelationEdge {
  /// The cell that removes all adds of the edge.
  func removal(at time: HybridTime?) -> WrittenCell {
    WrittenCell(source, .remove(relation, target: target, adds: adds), at: time)
  }
}
