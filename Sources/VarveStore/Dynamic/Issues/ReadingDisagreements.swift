public import VarveCore

/// References that say something else than the edges that go with them.
extension Reading {
  /// References of live entities that are paired with edges which do not stand, or name another. See
  /// ``WriteTransaction/reconcile(_:)``.
  ///
  /// ``issues(of:)`` also lists unpaired edges that disagree with a model's reference.
  ///
  /// - Returns: by type, in creation order.
  /// - Throws: ``VarveError`` where the store cannot be read.
  /// - Complexity: O(live entities), and nothing where no reference is paired.
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
  /// What the paired edges of one reference say otherwise.
  func disagreements(
    of entity: StoredEntity,
    _ key: PropertyKey
  ) async throws -> [StoreIssue.Disagreement] {
    let reference = entity[key].flatMap(EntityID.init(propertyValue:))
    var found: [StoreIssue.Disagreement] = []
    for pair in try await backend.pairedEdges(of: entity.id, key: key) {
      let related = pair.isRemoved ? nil : pair.other
      guard related != reference else { continue }
      // What is dead owns nothing, and is referred to as before (R19).
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

  /// What the edges of a model's reference say otherwise, paired or not.
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
  /// What the standing edges of a reference's relation name besides its entity.
  func others(of edge: PairedEnds) async throws -> [EntityID] {
    if edge.pairing.end == .source {
      return try await edges(from: edge.holder, in: edge.relation).map(\.target)
    }
    return try await edges(to: edge.holder, of: edge.relation.kind)
      .filter { $0.relation == edge.relation && !$0.isFromFormerLife }.map(\.source)
  }
}

extension WriteTransaction {
  /// Reconciles one reference of an entity with the edges that are paired with it; returns whether
  /// anything had to be written. See ``reconcile(_:)``.
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

  /// Makes the edges that go with a reference say what it says: stale ones are removed, one that is
  /// missing is declared, and from then on both win and lose together (R28).
  ///
  /// ```swift
  /// for disagreement in try await store.disagreements() {
  ///   try await store.write { try await $0.reconcile(disagreement) }
  /// }
  /// ```
  ///
  /// - Parameter disagreement: one that ``Reading/disagreements()`` or ``Reading/issues(of:)`` lists.
  /// - Returns: whether anything had to be written.
  /// - Throws: ``VarveError``: `notFound` where the entity is not live, `orphanRefused`.
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
