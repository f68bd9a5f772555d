extension Query {
  /// Returns the entities that the query fetches.
  ///
  /// - Parameters:
  ///   - entities: all entities, in creation order.
  ///   - elements: returns the elements of the first of some to-many properties that an entity has.
  /// - Throws: ``VarveError`` with code `unsupported` for SQL and full-text search, and the errors
  ///   of ``validate()``.
  package func evaluate(
    _ entities: [StoredEntity],
    elements: @escaping RelatedWorld.Elements = { _, _ in [] }
  ) throws -> [StoredEntity] {
    try rows(of: RelatedWorld(entities, elements)).map(\.main)
  }

  /// Returns the values of fields for each row that the query fetches.
  ///
  /// - Throws: as ``evaluate(_:elements:)``.
  package func evaluate(
    _ entities: [StoredEntity],
    _ fields: [Field],
    elements: @escaping RelatedWorld.Elements = { _, _ in [] }
  ) throws -> [[Value?]] {
    let world = RelatedWorld(entities, elements)
    let values = try rows(of: world).map { row in fields.map { row.value(of: $0) } }
    if let error = world.error { throw error }
    return values
  }

  private func rows(of world: RelatedWorld) throws -> [JoinedRow] {
    try validateForRunning()
    let entities = world.entities
    guard !hasRawSQL, !hasSearch else {
      throw VarveError(.unsupported, "SQL and full-text search need an SQL backend")
    }
    let types = Set([type] + subtypes)
    var rows = entities.filter { types.contains($0.type) }.map {
      JoinedRow(main: $0, as: type, in: world)
    }
    for case .entities(let type, let field, let other) in joins {
      rows = JoinedRow.join(rows, entities.filter { $0.type == type }, on: field, equals: other)
    }
    let matching = rows.filter { condition.holds(for: $0) == true }
    let keys = matching.map { row in ordering.map { row.comparand(of: $0.field)?.sortKey ?? [] } }
    let order = matching.indices.sorted { left, right in
      precedes(keys[left], keys[right]) ?? (left < right)
    }
    if let error = world.error { throw error }
    var seen: Set<EntityID> = []
    let beginning = mark.map { values in
      zip(ordering, values).map { $1.flatMap($0.field.comparand)?.sortKey ?? [] }
    }
    return order.filter { !isDistinct || seen.insert(matching[$0].main.id).inserted }
      .filter { index in beginning.map { precedes($0, keys[index]) == true } ?? true }
      .dropFirst(offset).prefix(limit ?? .max).map { matching[$0] }
  }

  /// Returns whether one row precedes another by the criteria, or nil if the criteria are equal.
  private func precedes(_ left: [[UInt8]], _ right: [[UInt8]]) -> Bool? {
    for (index, criterion) in ordering.enumerated() where left[index] != right[index] {
      return left[index].lexicographicallyPrecedes(right[index]) != criterion.isDescending
    }
    return nil
  }
}

/// An entity and the entities joined to it.
struct JoinedRow: FieldSource {
  let main: StoredEntity
  /// The type that the query names. An entity of a subtype has another type.
  private let type: EntityType
  private var others: [EntityType: StoredEntity] = [:]

  private let world: RelatedWorld

  init(main: StoredEntity, as type: EntityType, in world: RelatedWorld) {
    self.main = main
    self.type = type
    self.world = world
  }

  func exists(_ related: RelatedEntities) -> Bool? {
    world.entities(related, of: self, limit: 1).first != nil
  }

  func value(of field: Field) -> Value? {
    switch field {
    case .joined(let type, let inner):
      if let other = others[type] { return other.value(of: inner) }
      return type == self.type ? main.value(of: inner) : nil
    case .decimal(let inner), .folded(let inner):
      return value(of: inner.stored).flatMap(field.interpreted)
    case .inside(let inner, let path):
      return value(of: inner.stored)?.at(path).flatMap(field.interpreted)
    case .ofRelated(let inner, let related):
      return world.entities(related, of: self, limit: 1).first?.value(of: inner)
    case .aggregate(let aggregation, let related):
      return world.result(of: aggregation, over: world.entities(related, of: self))
    case .property, .identifier, .datestamp, .modified, .firstOf, .relevance:
      return main.value(of: field)
    }
  }

  static func join(
    _ rows: [JoinedRow],
    _ entities: [StoredEntity],
    on field: Field,
    equals other: Field
  ) -> [JoinedRow] {
    let present = entities.compactMap { entity in
      entity.comparand(of: field)?.joinKey.map { (key: $0, entity: entity) }
    }
    let byKey = Dictionary(grouping: present, by: \.key)
    return rows.flatMap { row -> [JoinedRow] in
      guard let key = row.comparand(of: other)?.joinKey else { return [] }
      return (byKey[key] ?? []).map { match in
        var joined = row
        joined.others[match.entity.type] = match.entity
        return joined
      }
    }
  }
}
