public import VarveCore

/// How two entities are related, seen from one of them.
public enum RelationKind: String, Hashable, Sendable, CaseIterable {
  /// It owns the other: erasing it erases what nobody else owns.
  case owns
  /// The other owns it: the same edge, seen from the other end.
  case ownedBy
  /// It names the other, and nothing follows from it.
  case free
}

extension Reading {
  /// The identifiers an entity is related to, each once, in the order they were declared.
  ///
  /// Dead ones are left out, unknown ones kept: what they name may arrive later. A dead entity has
  /// no relations.
  ///
  /// - Parameters:
  ///   - id: the entity.
  ///   - kind: which relations.
  ///   - name: the relation's name; nil for all, in order of name.
  /// - Complexity: O(relations of that kind).
  public func relatedIDs(
    _ id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey? = nil
  ) async throws -> [EntityID] {
    try await reading { state in
      var related: [EntityID] = []
      for other in try await state.backend.ends(of: id, kind, named: name) {
        guard try await !state.backend.isDead(other) else { continue }
        related.append(other)
      }
      return related
    }
  }

  /// The live entities an entity is related to, each once, in the order they were declared.
  ///
  /// - Parameters:
  ///   - id: the entity.
  ///   - kind: which relations.
  ///   - name: the relation's name; nil for all, in order of name.
  /// - Complexity: O(relations of that kind).
  public func related(
    _ id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey? = nil
  ) async throws -> [Entity] {
    try await reading { state in
      var related: [Entity] = []
      for other in try await state.backend.ends(of: id, kind, named: name) {
        guard let entity = try await state.backend.entity(other) else { continue }
        related.append(entity)
      }
      return related
    }
  }
}

extension BackendReader {
  /// Whether an identifier is erased, or dead with its owners.
  func isDead(_ id: EntityID) async throws -> Bool {
    switch try await status(of: id) {
    case .erased, .dead: true
    case .live, .unknown: false
    }
  }

  /// The other ends of an entity's relations, each once; none for a dead entity.
  fileprivate func ends(
    of id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey?
  ) async throws -> [EntityID] {
    guard try await !isDead(id) else { return [] }
    var seen: Set<EntityID> = []
    return try await edges(of: id, kind, named: name)
      .filter { !$0.isFromFormerLife }
      .map { kind == .ownedBy ? $0.source : $0.target }
      .filter { seen.insert($0).inserted }
  }

  private func edges(
    of id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey?
  ) async throws -> [Edge] {
    if kind == .ownedBy {
      return try await edges(to: id, of: .owns).filter { name == nil || $0.relation.name == name }
    }
    let stored: Relation.Kind = kind == .owns ? .owns : .free
    guard let name else {
      return try await edges(from: id, in: nil).filter { $0.relation.kind == stored }
    }
    return try await edges(from: id, in: Relation(stored, name))
  }
}
