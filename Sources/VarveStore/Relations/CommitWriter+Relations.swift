import VarveCore

/// An edge as it is stored: ownership seen from the owner (R14).
struct EdgeEnds {
  let source: EntityID
  let relation: Relation
  let target: EntityID

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
    guard try await present(edge) == nil else { return }
    let changes = try await apply(
      .add(edge.relation, target: edge.target, position: nil),
      to: edge.source,
      at: time ?? defaultTime
    )
    guard !changes.died.isEmpty else { return }
    try await keepAlive(changes.died, and: sourceStatus == .unknown ? [edge.source] : [])
  }

  /// Takes an edge back, if it stands. Nothing dies of it.
  ///
  /// - Parameter from: the end it is taken back from, which must not be dead.
  func unrelate(_ edge: EdgeEnds, from: EntityID, at time: HybridTime?) async throws {
    try Names.validate(edge.relation.name.text, as: "a relation's name")
    try await requireEnd(from, of: edge)
    guard let present = try await present(edge) else { return }
    let changes = try await remove(present, at: time ?? defaultTime)
    try await keepAlive(changes.died)
  }

  /// Throws `notFound` for a source that is dead, or unknown where the relation is free, and for a
  /// target that is dead. Answers the status of the source.
  private func requireEnds(of edge: EdgeEnds) async throws -> EntityStatus {
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
      if try await canLive(id, restoringOwners: false) { return status }
      throw try await writer.absence(of: id, status: .dead)
    case .unknown, .erased, .dead: throw try await writer.absence(of: id, status: status)
    }
  }

  private func present(_ edge: EdgeEnds) async throws -> Edge? {
    try await writer.edge(from: edge.source, in: edge.relation, to: edge.target)
  }

  /// Removes all adds of an edge.
  @discardableResult
  func remove(_ edge: Edge, at time: HybridTime?) async throws -> LifeChanges {
    try await apply(
      .remove(edge.relation, target: edge.target, adds: edge.adds),
      to: edge.source,
      at: time
    )
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
    var revived: [EntityID] = []
    while let id = pending.popLast() {
      for edge in try await writer.edges(to: id, of: .owns) where !saved.contains(edge.source) {
        if cuttable.contains(id), try await writer.status(of: edge.source) == .unknown {
          saved.insert(edge.source)
          cuttable.insert(edge.source)
          pending.append(edge.source)
        } else {
          revived += try await remove(edge, at: defaultTime).revived
        }
      }
    }
    return revived
  }
}
