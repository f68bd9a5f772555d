public import VarveCore

/// Issues that require no model.
extension Reading {
  /// Returns the live entities of a type that have the same values under all keys.
  ///
  /// ```swift
  /// for double in try await store.duplicates(of: "Hat", keys: ["color", "size"]) {
  ///   print(double.values, double.entities)
  /// }
  /// ```
  ///
  /// Values are compared as in queries: `1` equals `1.0`, and a NaN equals nothing. Entities with
  /// none of the keys are not duplicates; if only some keys are missing, a missing value equals a
  /// missing value.
  ///
  /// - Returns: the duplicates in the order of their values.
  /// - Throws: ``VarveError``: `invalidArgument` if no key is given; if the store cannot be read.
  /// - Complexity: O(entities of the type × log of them); memory for the result only.
  public func duplicates(
    of type: EntityType,
    keys: [PropertyKey]
  ) async throws -> [StoreIssue.Duplicate] {
    var found: [StoreIssue.Duplicate] = []
    try await forEachDuplicate(of: type, keys: keys) { duplicate in
      found.append(duplicate)
      return true
    }
    return found
  }

  /// Calls the body with the duplicates one by one until it returns false. Only one is in memory at
  /// a time.
  public func forEachDuplicate(
    of type: EntityType,
    keys: [PropertyKey],
    _ body: (StoreIssue.Duplicate) async throws -> Bool
  ) async throws {
    guard !keys.isEmpty else {
      throw VarveError(
        .invalidArgument,
        "no key to check for uniqueness is given",
        at: "type \"\(type)\"",
        remedy: "Name one or more properties."
      )
    }
    try await reading { state in
      _ = try await state.forEachDuplicate(
        DuplicateGrouping(type, keys, keys.map { .property($0) }),
        of: [],
        body
      )
    }
  }

  /// Returns the live entities that own each other without any owner outside the cycle. Such cycles
  /// arise when two replicas concurrently declare opposite ownerships.
  ///
  /// An unknown owner counts as one outside. Calling ``Writing/makeRoot(_:at:)``, adding
  /// another owner or erasing the members resolves a cycle.
  ///
  /// - Returns: the cycles in order of their first members. Entities below a cycle are not listed.
  /// - Throws: ``VarveError`` if the store cannot be read.
  /// - Complexity: O(live entities × log entities + ownerships); memory for the entities that own
  ///   or are owned.
  public func ownerlessCycles() async throws -> [StoreIssue.OwnerlessCycle] {
    try await reading { try await $0.ownerlessCycles() }
  }
}

extension StateReader {
  /// Calls the body with the duplicates until it returns false. Returns whether it never did.
  package func forEachDuplicate(
    _ grouping: DuplicateGrouping,
    of types: [EntityType],
    _ body: (StoreIssue.Duplicate) async throws -> Bool
  ) async throws -> Bool {
    var grouping = grouping
    var goesOn = true
    try await reader.fetch(grouping.query(including: types), pageSize: 1_000) { page in
      for entity in page {
        guard let duplicate = grouping.add(entity) else { continue }
        goesOn = try await body(duplicate)
        if !goesOn { return false }
      }
      return true
    }
    guard goesOn, let last = grouping.finish() else { return goesOn }
    return try await body(last)
  }

  func ownerlessCycles() async throws -> [StoreIssue.OwnerlessCycle] {
    var graph = OwnershipGraph()
    for type in try await reader.labels() {
      try await reader.fetch(Query(type), pageSize: 1_000) { page in
        for entity in page { try await addOwnerships(of: entity.id, to: &graph) }
        return true
      }
    }
    for id in graph.unreached() where try await hasUnknownOwner(id) { graph.reach(from: id) }
    return graph.cycles().map { StoreIssue.OwnerlessCycle(members: $0.sorted()) }
      .sorted { left, right in
        left.members.lexicographicallyPrecedes(right.members)
      }
  }

  private func addOwnerships(
    of owner: EntityID,
    to graph: inout OwnershipGraph
  ) async throws {
    for edge in try await reader.edges(from: owner, in: nil)
    where edge.relation.kind == .owns && !edge.isFromFormerLife {
      guard case .live = try await reader.status(of: edge.target) else { continue }
      graph.add(owner: owner, owned: edge.target)
    }
  }

  private func hasUnknownOwner(_ id: EntityID) async throws -> Bool {
    for edge in try await reader.edges(to: id, of: .owns) where !edge.isFromFormerLife {
      if try await reader.status(of: edge.source) == .unknown { return true }
    }
    return false
  }
}
