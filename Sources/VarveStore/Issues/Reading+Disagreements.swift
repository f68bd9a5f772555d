public import VarveCore

/// Finds references that disagree with their edges.
extension Reading {
  /// Returns the references of live entities whose paired edges are missing or have another target.
  /// See ``WriteTransaction/reconcile(_:)``.
  ///
  /// ``issues(of:)`` also lists unpaired edges that disagree with a model's reference.
  ///
  /// - Returns: the disagreements by type, in creation order.
  /// - Throws: ``VarveError`` if the store cannot be read.
  /// - Complexity: O(live entities), or O(1) if no reference is paired.
  public func disagreements() async throws -> [StoreIssue.Disagreement] {
    try await reading { state in
      let keys = try await state.backend.pairedKeys()
      guard !keys.isEmpty else { return [] }
      var found: [StoreIssue.Disagreement] = []
      for type in try await state.backend.labels() {
        try await state.backend.fetch(Query(type), pageSize: 1_000) { page in
          for entity in page {
            for key in keys { found += try await state.disagreements(of: entity, key) }
          }
          return true
        }
      }
      return found
    }
  }
}

extension StateReader {
  /// Returns the disagreements of one reference with its paired edges.
  func disagreements(
    of entity: StoredEntity,
    _ key: PropertyKey
  ) async throws -> [StoreIssue.Disagreement] {
    let reference = entity[key].flatMap(EntityID.init(propertyValue:))
    var found: [StoreIssue.Disagreement] = []
    for pair in try await backend.pairedEdges(of: entity.id, key: key) {
      let related = pair.isRemoved ? nil : pair.other
      guard related != reference else { continue }
      // A dead entity owns nothing, and references to it stay (R19).
      if related == nil, let reference, try await !isLive(reference) { continue }
      found.append(
        StoreIssue.Disagreement(
          entity: entity.id,
          key: key,
          relation: pair.relation,
          end: pair.pairing.end,
          reference: reference,
          related: related.map { [$0] } ?? []
        )
      )
    }
    return found
  }

  /// Returns the disagreement of a model's reference with its edges, paired or not.
  func disagreement(
    of entity: StoredEntity,
    _ edge: PairedEnds,
    ifOwn isOwn: (EntityID) async throws -> Bool
  ) async throws -> StoreIssue.Disagreement? {
    let key = edge.pairing.key
    let reference = entity[key].flatMap(EntityID.init(propertyValue:))
    let others = try await backend.others(of: edge)
    var related: [EntityID] = []
    for id in others {
      let isIts = id == reference ? true : try await isOwn(id)
      if isIts { related.append(id) }
    }
    var isMissing = false
    if let reference, !others.contains(reference), try await isLive(reference) {
      let pairs = try await backend.pairedEdges(of: entity.id, key: key)
      isMissing = pairs.contains { edge.isSame(as: $0) }
    }
    guard isMissing || related.contains(where: { $0 != reference }) else { return nil }
    return StoreIssue.Disagreement(
      entity: entity.id,
      key: key,
      relation: edge.relation,
      end: edge.pairing.end,
      reference: reference,
      related: related
    )
  }

  private func isLive(_ id: EntityID) async throws -> Bool {
    if case .live = try await backend.status(of: id) { true } else { false }
  }
}

extension BackendReader {
  /// Returns the targets of edges of a reference's relation other than its entity.
  func others(of edge: PairedEnds) async throws -> [EntityID] {
    if edge.pairing.end == .source {
      return try await edges(from: edge.holder, in: edge.relation).map(\.target)
    }
    return try await edges(to: edge.holder, of: edge.relation.kind)
      .filter { $0.relation == edge.relation && !$0.isFromFormerLife }.map(\.source)
  }
}

extension WriteTransaction {
  /// Updates the paired edges of one reference of an entity to match it. Returns whether anything
  /// had to be written. See ``reconcile(_:)``.
  @discardableResult
  public func reconcile(_ id: EntityID, _ key: PropertyKey) async throws -> Bool {
    let found = try await reading { state in
      guard let entity = try await state.backend.entity(id) else {
        return [StoreIssue.Disagreement]()
      }
      return try await state.disagreements(of: entity, key)
    }
    var hasChanged = false
    for disagreement in found {
      hasChanged = try await reconcile(disagreement) || hasChanged
    }
    return hasChanged
  }

  /// Updates the edges of a reference to match it. Stale edges are removed, and a missing one is
  /// added and paired with the reference, so that in later merges both win or lose together (R28).
  ///
  /// ```swift
  /// for disagreement in try await store.disagreements() {
  ///   try await store.write { try await $0.reconcile(disagreement) }
  /// }
  /// ```
  ///
  /// - Parameter disagreement: a disagreement from ``Reading/disagreements()`` or
  ///   ``Reading/issues(of:)``.
  /// - Returns: whether anything had to be written.
  /// - Throws: ``VarveError``: `notFound` if the entity is not live, `orphanRefused`.
  /// - Complexity: O(edges of the relation).
  @discardableResult
  public func reconcile(_ disagreement: StoreIssue.Disagreement) async throws -> Bool {
    try await perform { writer in
      guard let entity = try await writer.writer.entity(disagreement.entity) else {
        throw try await writer.writer.absence(of: disagreement.entity)
      }
      let reference = entity[disagreement.key].flatMap(EntityID.init(propertyValue:))
      let edge = PairedEnds(
        disagreement.relation,
        Pairing(disagreement.key, at: disagreement.end),
        of: entity.id
      )
      return try await writer.settle(edge, to: reference, from: reference) {
        disagreement.related.contains($0)
      }
    }
  }
}
