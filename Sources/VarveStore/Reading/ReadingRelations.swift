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
  ///   - name: the relation's name; nil for all.
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
  /// ```swift
  /// let large = try await store.related("shop-1", .owns, type: "Hat", where: Field("size") > 12)
  /// ```
  ///
  /// - Parameters:
  ///   - id: the entity.
  ///   - kind: which relations.
  ///   - name: the relation's name; nil for all.
  ///   - type: the type the others must have; nil for any.
  ///   - condition: what they must satisfy.
  /// - Complexity: O(relations of that kind).
  public func related(
    _ id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey? = nil,
    type: EntityType? = nil,
    where condition: Condition = .always
  ) async throws -> [Entity] {
    try await related(id, anyOf: [kind], named: name, type: type, where: condition)
  }

  /// The live entities an entity is related to in any of several ways, each once: what it owns,
  /// then what owns it, then what it names, each in the order they were declared.
  ///
  /// - Parameters:
  ///   - id: the entity.
  ///   - kinds: which relations.
  ///   - name: the relations' name; nil for all.
  ///   - type: the type the others must have; nil for any.
  ///   - condition: what they must satisfy.
  /// - Complexity: O(relations of those kinds).
  public func related(
    _ id: EntityID,
    anyOf kinds: Set<RelationKind>,
    named name: PropertyKey? = nil,
    type: EntityType? = nil,
    where condition: Condition = .always
  ) async throws -> [Entity] {
    try await reading { state in
      var related: [Entity] = []
      try await state.backend.forEachRelated(to: id, kinds, named: name) { entity in
        if entity.satisfies(type, condition) { related.append(entity) }
        return true
      }
      return related
    }
  }

  /// The live entities an entity is related to, by identifier. See
  /// ``related(_:anyOf:named:type:where:)``.
  public func relatedByID(
    _ id: EntityID,
    anyOf kinds: Set<RelationKind>,
    named name: PropertyKey? = nil,
    type: EntityType? = nil,
    where condition: Condition = .always
  ) async throws -> [EntityID: Entity] {
    let related = try await related(id, anyOf: kinds, named: name, type: type, where: condition)
    return Dictionary(related.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The first declared of the live entities an entity is related to that has the type and
  /// satisfies the condition, or nil.
  ///
  /// - Complexity: O(relations of that kind); entities are read up to the one found.
  public func firstRelated(
    _ id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey? = nil,
    type: EntityType? = nil,
    where condition: Condition = .always
  ) async throws -> Entity? {
    try await reading { state in
      var first: Entity?
      try await state.backend.forEachRelated(to: id, [kind], named: name) { entity in
        if entity.satisfies(type, condition) { first = entity }
        return first == nil
      }
      return first
    }
  }

  /// How many live entities an entity is related to. None of them is loaded.
  ///
  /// - Parameters:
  ///   - id: the entity.
  ///   - kind: which relations.
  ///   - name: the relation's name; nil for all.
  ///   - type: the type the others must have; nil for any.
  /// - Complexity: O(relations of that kind).
  public func relatedCount(
    _ id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey? = nil,
    type: EntityType? = nil
  ) async throws -> Int {
    try await reading { state in
      var count = 0
      for other in try await state.backend.ends(of: id, kind, named: name) {
        guard case .live(let present) = try await state.backend.status(of: other) else { continue }
        if type == nil || type == present { count += 1 }
      }
      return count
    }
  }
}

extension Entity {
  fileprivate func satisfies(_ type: EntityType?, _ condition: Condition) -> Bool {
    (type == nil || type == self.type) && condition.holds(for: self) == true
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

  /// The relations of one kind that an entity declares, whatever their names, in the order they were
  /// declared.
  func edges(from id: EntityID, ofKind kind: Relation.Kind) async throws -> [Edge] {
    let edges = try await edges(from: id, in: nil).filter { $0.relation.kind == kind }
    guard let first = edges.first, edges.contains(where: { $0.relation != first.relation }) else {
      return edges
    }
    return edges.enumerated()
      .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
      .map(\.element)
  }

  /// The live other ends of an entity's relations, each once, until the body answers false.
  fileprivate func forEachRelated(
    to id: EntityID,
    _ kinds: Set<RelationKind>,
    named name: PropertyKey?,
    _ body: (Entity) throws -> Bool
  ) async throws {
    var seen: Set<EntityID> = []
    for kind in RelationKind.allCases where kinds.contains(kind) {
      for other in try await ends(of: id, kind, named: name) where seen.insert(other).inserted {
        guard let entity = try await entity(other) else { continue }
        guard try body(entity) else { return }
      }
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
    guard let name else { return try await edges(from: id, ofKind: stored) }
    return try await edges(from: id, in: Relation(stored, name))
  }
}
