public import VarveCore

extension WriteTransaction {
  /// Updates the paired edges of one reference of an entity to match it. Returns whether anything
  /// had to be written. See ``reconcile(_:)``.
  @discardableResult
  public func reconcile(_ id: EntityID, _ key: PropertyKey) async throws -> Bool {
    let found = try await reading { state in
      guard let entity = try await state.reader.entity(id) else {
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
      guard let entity = try await writer.commit.entity(disagreement.entity) else {
        throw try await writer.commit.absence(of: disagreement.entity)
      }
      let reference = entity[disagreement.key].flatMap(EntityID.init(referenceIn:))
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
