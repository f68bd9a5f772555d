package import VarveCore

/// Writes to all entities of a query.
extension CommitWriter {
  /// Writes the differences to the entities of a query, and returns the number of entities that had
  /// some.
  ///
  /// - Parameter companions: further changes, written only to entities that had differences.
  package func update(
    _ query: Query,
    _ changes: [PropertyChange],
    with companions: [PropertyChange] = [],
    comparesSemanticTypes: Bool,
    at time: HybridTime?
  ) async throws -> Int {
    for change in changes + companions { try change.validate() }
    let time = time ?? defaultTime
    if time == nil, let count = try await apply(changes, with: companions, toAllOf: query) {
      return count
    }
    var count = 0
    for id in try await commit.ids(of: query) {
      try Task.checkCancellation()
      // An earlier write may have erased the entity, by the policy of a relation.
      guard case .live = try await commit.status(of: id) else { continue }
      let hasChanged = try await update(
        id,
        changes,
        comparesSemanticTypes: comparesSemanticTypes,
        at: time
      )
      guard hasChanged else { continue }
      _ = try await update(id, companions, comparesSemanticTypes: true, at: time)
      count += 1
    }
    return count
  }

  /// Erases the entities of a query and what they alone own, and returns everything that died.
  func erase(_ query: Query, at time: HybridTime?) async throws -> [EntityID] {
    if (time ?? defaultTime) == nil, let died = try await eraseAll(of: query) { return died }
    return try await erase(try await commit.ids(of: query), isStrict: false, at: time)
  }

  /// Erases the entities of a query at once. Returns nil if they must be erased one by one.
  private func eraseAll(of query: Query) async throws -> [EntityID]? {
    // Hooks run between reading and erasing.
    guard hooks.all.isEmpty else { return nil }
    return try await applyErasure(ofAll: query)
  }
}

extension PropertyChange {
  /// The cell that writes the change.
  var content: Cell.Content {
    guard let value else { return .removal(key) }
    return .value(key, value, semanticType: semanticType)
  }
}
