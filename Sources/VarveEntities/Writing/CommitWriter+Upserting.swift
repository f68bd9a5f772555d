package import VarveCore

/// Writes that find their entity by the values of some properties.
extension CommitWriter {
  /// Writes the differences to the live entity with the values under the keys, or creates one.
  func upsert(
    _ type: EntityType,
    on keys: [PropertyKey],
    id: EntityID?,
    _ properties: [PropertyChange],
    comparesSemanticTypes: Bool,
    at time: HybridTime?
  ) async throws -> (id: EntityID, outcome: SaveOutcome) {
    try Names.validate(type)
    try properties.validate()
    if let found = try await counterpart(type, on: keys, properties) {
      let hasChanged = try await updateValid(
        found,
        properties,
        comparesSemanticTypes: comparesSemanticTypes,
        at: time
      )
      return (found, hasChanged ? .changed : .unchanged)
    }
    let id = id ?? .new()
    try await createValid(type, id: id, properties, at: time ?? defaultTime)
    return (id, .created)
  }

  /// Creates an entity unless a live one has the values under the keys. Returns nil if one has.
  func insert(
    _ type: EntityType,
    ifAbsent keys: [PropertyKey],
    id: EntityID?,
    _ properties: [PropertyChange],
    at time: HybridTime?
  ) async throws -> EntityID? {
    try Names.validate(type)
    try properties.validate()
    guard try await counterpart(type, on: keys, properties) == nil else { return nil }
    let id = id ?? .new()
    try await createValid(type, id: id, properties, at: time ?? defaultTime)
    return id
  }

  /// Returns the live entity of a type that has the values under some keys: of several, the one
  /// created first.
  private func counterpart(
    _ type: EntityType,
    on keys: [PropertyKey],
    _ properties: [PropertyChange]
  ) async throws -> EntityID? {
    guard !keys.isEmpty else { throw Self.namesNothing(type) }
    var query = Query(type)
    for key in keys {
      let place = properties.indices.first { properties[$0].key == key }
      guard let value = place.flatMap({ properties[$0].value }) else {
        throw VarveError(
          .invalidArgument,
          "the properties have no value for \"\(key)\", by which the entity is found",
          at: "property \(key)",
          remedy: "Give it a value."
        )
      }
      query = query.where(Field(key) == value)
    }
    return try await commit.ids(of: query.limit(1)).first
  }

  package static func namesNothing(_ type: EntityType) -> VarveError {
    VarveError(
      .invalidArgument,
      "no property is named to find the entity by",
      at: "type \(type)",
      remedy: "Name at least one."
    )
  }
}
