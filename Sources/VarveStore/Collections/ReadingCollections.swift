public import VarveCore

extension Reading {
  /// The elements of a to-many property, in their order; nil where the property was never set, or
  /// was removed or became a single value since.
  ///
  /// Dead ones are left out, unknown ones kept: what they name may arrive later.
  ///
  /// ```swift
  /// try await store.setCollection(team, "players", to: ["ana", "ben"])
  /// let players = try await store.collection(of: team, "players")  // ["ana", "ben"]
  /// ```
  ///
  /// - Parameters:
  ///   - id: the entity whose property it is.
  ///   - key: the property.
  ///   - kind: how it is taken. Replicas that add one element apart leave it twice: a set shows it
  ///     once.
  /// - Throws: ``VarveError``.
  /// - Complexity: O(elements).
  public func collection(
    of id: EntityID,
    _ key: PropertyKey,
    as kind: CollectionKind = .list
  ) async throws -> [EntityID]? {
    try await reading { state in
      guard case .live = try await state.backend.status(of: id),
        try await state.backend.isCollection(id, key)
      else { return nil }
      let targets = try await state.backend.liveElements(of: id, key: key)
      var seen: Set<EntityID> = []
      return kind == .list ? targets : targets.filter { seen.insert($0).inserted }
    }
  }
}

extension BackendReader {
  /// The elements of a to-many property that are not dead, in their order, each as often as it was
  /// added.
  func liveElements(of id: EntityID, key: PropertyKey) async throws -> [EntityID] {
    var targets: [EntityID] = []
    for element in try await elements(of: id, key: key)
    where try await !isDead(element.target) { targets.append(element.target) }
    return targets
  }
}
