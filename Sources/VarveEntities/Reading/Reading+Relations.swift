public import VarveCore

extension Reading {
  /// Returns the identifiers that an entity is related to, each once, in the order they were
  /// declared.
  ///
  /// Dead ones are omitted. Unknown ones are included, because their entities may arrive later. A
  /// dead entity has no relations.
  ///
  /// - Parameters:
  ///   - id: the entity.
  ///   - kind: the kind of the relations.
  ///   - name: the relations' name; nil for all.
  /// - Complexity: O(relations of that kind).
  public func relatedIDs(
    _ id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey? = nil
  ) async throws -> [EntityID] {
    try await reading { state in
      var related: [EntityID] = []
      for other in try await state.reader.ends(of: id, kind, named: name) {
        guard try await !state.reader.isDead(other) else { continue }
        related.append(other)
      }
      return related
    }
  }

  /// Returns the live entities that an entity is related to, each once, in the order they were
  /// declared.
  ///
  /// ```swift
  /// let large = try await store.related("shop-1", .owns, type: "Hat", where: Field("size") > 12)
  /// ```
  ///
  /// - Parameters:
  ///   - id: the entity.
  ///   - kind: the kind of the relations.
  ///   - name: the relations' name; nil for all.
  ///   - type: the type of the related entities; nil for any.
  ///   - condition: the condition they must satisfy.
  /// - Complexity: O(relations of that kind).
  public func related(
    _ id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey? = nil,
    type: EntityType? = nil,
    where condition: Condition = .always
  ) async throws -> [StoredEntity] {
    try await related(id, anyOf: [kind], named: name, type: type, where: condition)
  }

  /// Returns the live entities with any of several relations to an entity, each entity once.
  ///
  /// The entities that it owns come first, then its owners, then those it refers to. Each group is
  /// in the order in which the relations were declared.
  ///
  /// - Parameters:
  ///   - id: the entity.
  ///   - kinds: the kinds of the relations.
  ///   - name: the relations' name; nil for all.
  ///   - type: the type of the related entities; nil for any.
  ///   - condition: the condition they must satisfy.
  /// - Complexity: O(relations of those kinds).
  public func related(
    _ id: EntityID,
    anyOf kinds: Set<RelationKind>,
    named name: PropertyKey? = nil,
    type: EntityType? = nil,
    where condition: Condition = .always
  ) async throws -> [StoredEntity] {
    try await reading { state in
      var related: [StoredEntity] = []
      var size = ResultSize()
      try await state.reader.forEachRelated(to: id, kinds, named: name) { entity in
        guard entity.satisfies(type, condition) else { return true }
        try size.add(entity)
        related.append(entity)
        return true
      }
      return related
    }
  }

  /// Returns the identifiers of the entities that ``related(_:_:named:type:where:)`` returns.
  package func relatedIDs(
    _ id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey?,
    type: EntityType?,
    where condition: Condition
  ) async throws -> [EntityID] {
    try await reading { state in
      var ids: [EntityID] = []
      var size = ResultSize()
      try await state.reader.forEachRelated(to: id, [kind], named: name) { entity in
        guard entity.satisfies(type, condition) else { return true }
        try size.add(entity.id)
        ids.append(entity.id)
        return true
      }
      return ids
    }
  }

  /// Returns the live entities that an entity is related to, by identifier. See
  /// ``related(_:anyOf:named:type:where:)``.
  public func relatedByID(
    _ id: EntityID,
    anyOf kinds: Set<RelationKind>,
    named name: PropertyKey? = nil,
    type: EntityType? = nil,
    where condition: Condition = .always
  ) async throws -> [EntityID: StoredEntity] {
    let related = try await related(id, anyOf: kinds, named: name, type: type, where: condition)
    return Dictionary(related.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the first declared of the related live entities that has the type and satisfies the
  /// condition, or nil.
  ///
  /// - Complexity: O(relations of that kind); entities are read up to the one found.
  public func firstRelated(
    _ id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey? = nil,
    type: EntityType? = nil,
    where condition: Condition = .always
  ) async throws -> StoredEntity? {
    try await reading { state in
      var first: StoredEntity?
      try await state.reader.forEachRelated(to: id, [kind], named: name) { entity in
        if entity.satisfies(type, condition) { first = entity }
        return first == nil
      }
      return first
    }
  }

  /// Returns the number of live entities that an entity is related to, without loading them.
  ///
  /// - Parameters:
  ///   - id: the entity.
  ///   - kind: the kind of the relations.
  ///   - name: the relations' name; nil for all.
  ///   - type: the type of the related entities; nil for any.
  /// - Complexity: O(relations of that kind).
  public func relatedCount(
    _ id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey? = nil,
    type: EntityType? = nil
  ) async throws -> Int {
    try await reading { state in
      var count = 0
      for other in try await state.reader.ends(of: id, kind, named: name) {
        guard case .live(let present) = try await state.reader.status(of: other) else { continue }
        if type == nil || type == present { count += 1 }
      }
      return count
    }
  }
}

extension StoredEntity {
  fileprivate func satisfies(_ type: EntityType?, _ condition: Condition) -> Bool {
    (type == nil || type == self.type) && condition.holds(for: self) == true
  }
}

extension BackendReader {
  /// Returns whether an identifier is erased, or dead with its owners.
  func isDead(_ id: EntityID) async throws -> Bool {
    switch try await status(of: id) {
    case .erased, .dead: true
    case .live, .unknown: false
    }
  }

  /// Returns the relations of one kind that an entity declares, of all names, in the order they
  /// were declared.
  func edges(from id: EntityID, ofKind kind: Relation.Kind) async throws -> [RelationEdge] {
    let edges = try await edges(from: id, in: nil).filter { $0.relation.kind == kind }
    guard let first = edges.first, edges.contains(where: { $0.relation != first.relation }) else {
      return edges
    }
    return edges.enumerated()
      .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
      .map(\.element)
  }

  /// Calls the body with the live entities at the other ends of relations, each once, until it
  /// returns false.
  fileprivate func forEachRelated(
    to id: EntityID,
    _ kinds: Set<RelationKind>,
    named name: PropertyKey?,
    _ body: (StoredEntity) throws -> Bool
  ) async throws {
    var seen: Set<EntityID> = []
    for kind in RelationKind.allCases where kinds.contains(kind) {
      for other in try await ends(of: id, kind, named: name) where seen.insert(other).inserted {
        guard let entity = try await entity(other) else { continue }
        guard try body(entity) else { return }
      }
    }
  }

  /// Returns the other ends of an entity's relations, each once; none if the entity is dead.
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
  ) async throws -> [RelationEdge] {
    if kind == .ownedBy {
      return try await edges(to: id, of: .owns).filter { name == nil || $0.relation.name == name }
    }
    let stored: Relation.Kind = kind == .owns ? .owns : .free
    guard let name else { return try await edges(from: id, ofKind: stored) }
    return try await edges(from: id, in: Relation(stored, name))
  }
}
