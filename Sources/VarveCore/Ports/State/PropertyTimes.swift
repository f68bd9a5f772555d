extension BackendReader {
  package func times(of entity: StoredEntity) async throws -> [PropertyKey: HybridTime] {
    try await timesFromHistory(of: entity)
  }

  /// Returns the same as `times(of:)`, by reading the entity's whole history.
  package func timesFromHistory(of entity: StoredEntity) async throws -> [PropertyKey: HybridTime] {
    var times: [PropertyKey: HybridTime] = [:]
    let versions = try await history(of: entity.id, key: nil, limit: nil)
    let rebirth = versions.first { if case .life(.recreated) = $0.content { true } else { false } }
    // A former life may have had the same value.
    let oldest = rebirth.map(\.commit.order)
    for version in versions {
      if let oldest, version.commit.order < oldest { continue }
      guard let key = version.key, times[key] == nil, let property = entity.property(key),
        version.content
          == .value(key, property.value, semanticType: property.semanticType)
      else { continue }
      times[key] = version.time
    }
    return times
  }
}

extension CommitSummary {
  fileprivate var order: CommitOrder {
    CommitOrder(stamp: Stamp(time: time, replica: id.replica), hash: id.hash)
  }
}
