package import VarveCore

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
      let keys = try await state.reader.pairedKeys()
      guard !keys.isEmpty else { return [] }
      var found: [StoreIssue.Disagreement] = []
      for type in try await state.reader.labels() {
        try await state.reader.fetch(Query(type), pageSize: 1_000) { page in
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
    let reference = entity[key].flatMap(EntityID.init(referenceIn:))
    var found: [StoreIssue.Disagreement] = []
    for pair in try await reader.pairedEdges(of: entity.id, key: key) {
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
  package func disagreement(
    of entity: StoredEntity,
    _ edge: PairedEnds,
    ifOwn isOwn: (EntityID) async throws -> Bool
  ) async throws -> StoreIssue.Disagreement? {
    let key = edge.pairing.key
    let reference = entity[key].flatMap(EntityID.init(referenceIn:))
    let others = try await reader.others(of: edge)
    var related: [EntityID] = []
    for id in others {
      let isIts = id == reference ? true : try await isOwn(id)
      if isIts { related.append(id) }
    }
    var isMissing = false
    if let reference, !others.contains(reference), try await isLive(reference) {
      let pairs = try await reader.pairedEdges(of: entity.id, key: key)
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
    if case .live = try await reader.status(of: id) { true } else { false }
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
