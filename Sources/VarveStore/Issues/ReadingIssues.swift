public import VarveCore

/// Issues that need no model.
extension Reading {
  /// Live entities of a type that have the same values under all of some keys.
  ///
  /// ```swift
  /// for double in try await store.duplicates(of: "Hat", keys: ["color", "size"]) {
  ///   print(double.values, double.entities)
  /// }
  /// ```
  ///
  /// Values are compared as queries compare them: `1` equals `1.0`, and a NaN nothing. Entities
  /// with none of the keys are no doubles; where some are missing, nothing equals nothing.
  ///
  /// - Returns: in the order of the values.
  /// - Throws: ``VarveError``: `invalidArgument` where no key is named; where the store cannot be
  ///   read.
  /// - Complexity: O(entities of the type × log of them); memory for the answer only.
  public func duplicates(
    of type: EntityType,
    keys: [PropertyKey]
  ) async throws -> [Issue.Duplicate] {
    var found: [Issue.Duplicate] = []
    try await forEachDuplicate(of: type, keys: keys) { duplicate in
      found.append(duplicate)
      return true
    }
    return found
  }

  /// The same, one after another, until the body answers false: however many there are, memory
  /// holds one.
  public func forEachDuplicate(
    of type: EntityType,
    keys: [PropertyKey],
    _ body: (Issue.Duplicate) async throws -> Bool
  ) async throws {
    guard !keys.isEmpty else {
      throw VarveError(
        .invalidArgument,
        "no key is named that shall be unique",
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

  /// Live entities that own each other while nobody outside owns any of them: what two replicas
  /// that each made one the owner of the other leave.
  ///
  /// An owner that is not known yet counts as one outside. ``Transaction/makeRoot(_:at:)`` or
  /// another owner settles it, and so does erasing the members.
  ///
  /// - Returns: in order of the first member. What hangs below a cycle is not listed.
  /// - Throws: ``VarveError`` where the store cannot be read.
  /// - Complexity: O(live entities × log entities + ownerships); memory for the entities that own
  ///   or are owned.
  public func ownerlessCycles() async throws -> [Issue.OwnerlessCycle] {
    try await reading { try await $0.ownerlessCycles() }
  }
}

extension StateReader {
  /// Goes through the doubles until the body answers false; answers whether it never did.
  func forEachDuplicate(
    _ grouping: DuplicateGrouping,
    of types: [EntityType],
    _ body: (Issue.Duplicate) async throws -> Bool
  ) async throws -> Bool {
    var grouping = grouping
    var goesOn = true
    try await backend.fetch(grouping.query(including: types), pageSize: 1_000) { page in
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

  func ownerlessCycles() async throws -> [Issue.OwnerlessCycle] {
    var graph = OwnershipGraph()
    for type in try await backend.labels() {
      try await backend.fetch(Query(type), pageSize: 1_000) { page in
        for entity in page { try await addOwnerships(of: entity.id, to: &graph) }
        return true
      }
    }
    for id in graph.unreached() where try await hasUnknownOwner(id) { graph.reach(from: id) }
    return graph.cycles().map { Issue.OwnerlessCycle(members: $0.sorted()) }
      .sorted { left, right in
        left.members.lexicographicallyPrecedes(right.members)
      }
  }

  private func addOwnerships(
    of owner: EntityID,
    to graph: inout OwnershipGraph
  ) async throws {
    for edge in try await backend.edges(from: owner, in: nil)
    where edge.relation.kind == .owns && !edge.isFromFormerLife {
      guard case .live = try await backend.status(of: edge.target) else { continue }
      graph.add(owner: owner, owned: edge.target)
    }
  }

  private func hasUnknownOwner(_ id: EntityID) async throws -> Bool {
    for edge in try await backend.edges(to: id, of: .owns) where !edge.isFromFormerLife {
      if try await backend.status(of: edge.source) == .unknown { return true }
    }
    return false
  }
}
