public import VarveCore

extension Reading {
  /// Returns the elements of a to-many property in order; nil if the property was never set, was
  /// removed, or is a single value now.
  ///
  /// Dead elements are omitted. Unknown ones are included, because their entities may arrive later.
  ///
  /// ```swift
  /// try await store.setCollection(team, "players", to: ["ana", "ben"])
  /// let players = try await store.collection(of: team, "players")  // ["ana", "ben"]
  /// ```
  ///
  /// - Parameters:
  ///   - id: the entity whose property it is.
  ///   - key: the property.
  ///   - kind: the kind of collection. If replicas concurrently add the same element, a list has it
  ///     twice and a set once.
  /// - Throws: ``VarveError``.
  /// - Complexity: O(elements).
  public func collection(
    of id: EntityID,
    _ key: PropertyKey,
    as kind: CollectionKind = .list
  ) async throws -> [EntityID]? {
    try await reading { state in
      guard case .live = try await state.reader.status(of: id),
        try await state.reader.isCollection(id, key)
      else { return nil }
      let targets = try await state.reader.liveElements(of: id, key: key)
      var seen: Set<EntityID> = []
      return kind == .list ? targets : targets.filter { seen.insert($0).inserted }
    }
  }
}

extension Reading {
  /// Returns the keys of an entity's to-many properties, in byte order; none if it is not live.
  ///
  /// ```swift
  /// for key in try await store.collectionKeys(of: team) { print(key) }
  /// ```
  ///
  /// - Throws: ``VarveError``.
  /// - Complexity: O(keys).
  public func collectionKeys(of id: EntityID) async throws -> [PropertyKey] {
    try await reading { state in
      guard case .live = try await state.reader.status(of: id) else { return [] }
      return try await state.reader.collections(of: id).sorted()
    }
  }
}

extension BackendReader {
  /// Returns the elements of a to-many property that are not dead, in order, with repetitions.
  func liveElements(of id: EntityID, key: PropertyKey) async throws -> [EntityID] {
    var targets: [EntityID] = []
    for element in try await elements(of: id, key: key)
    where try await !isDead(element.target) { targets.append(element.target) }
    return targets
  }
}
