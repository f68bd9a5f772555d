extension BackendReader {
  package func times(of entity: StoredEntity) async throws -> [PropertyKey: HybridTime] {
    try await timesFromHistory(of: entity)
  }

  /// As `times(of:)`, by reading the entity's whole history.
  package func timesFromHistory(of entity: StoredEntity) async throws -> [PropertyKey: HybridTime] {
    var times: [PropertyKey: HybridTime] = [:]
    for version in try await history(of: entity.id, key: nil, limit: nil) {
      guard let key = version.key, times[key] == nil, let property = entity.property(key),
        version.content
          == .value(key, property.value, semanticType: property.semanticType)
      else { continue }
      times[key] = version.time
    }
    return times
  }
}
