package import VarveCore

/// Rejects what a dated import cannot express because later data is stored.
extension TransactionPast {
  /// Throws if an entity that was not live then, and is to be created, ended later.
  package func refuseCreation(of id: EntityID) async throws {
    switch try await transaction.status(of: id) {
    case .live, .unknown: return
    case .erased, .dead: break
    }
    guard let last = try await transaction.lastTime(of: id), last > time else { return }
    throw refusal("\(id) was erased later than the time of the document", id)
  }

  /// Throws if an entity that was live then, and is to be changed, is dead by now.
  package func refuseChange(of id: EntityID) async throws {
    if case .live = try await transaction.status(of: id) { return }
    throw refusal("\(id) ended later than the time of the document", id)
  }

  /// Throws if an entity with later data would end, because it still existed then.
  ///
  /// - Parameters:
  ///   - ids: the entities that the document omits.
  ///   - preview: what erasing them, and perhaps others, would do.
  package func refuseErasure(of ids: [EntityID], _ preview: ErasurePreview) async throws {
    let missing = Set(preview.missing)
    for id in ids where missing.contains(id) {
      throw refusal("\(id) ended later than the time of the document, which omits it", id)
    }
    for death in preview.deaths {
      guard let last = try await transaction.lastTime(of: death.id), last > time else { continue }
      throw refusal("\(death.id) would end, but has later data", death.id)
    }
    for type in Set(preview.deaths.map(\.type)).sorted() {
      let later = Query(type).where(.compare(.modified, .greater, .date(time.date)))
      guard let one = try await transaction.first(later) else { continue }
      throw refusal("the document omits entities of type \(type), which has later data", one.id)
    }
  }

  /// Throws if relations of an entity would be added or removed from then on, and the next stored
  /// state of its relations of that kind and name does not agree with the change.
  ///
  /// - Parameters:
  ///   - others: the entities to which the relation may have led later.
  ///   - added: the entities that become related.
  ///   - removed: the entities that are no longer related.
  package func refuseRelations(
    of id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey,
    to others: Set<EntityID>,
    adding added: [EntityID],
    removing removed: [EntityID]
  ) async throws {
    try await refuseChange(of: id)
    for other in added { try await refuseChange(of: other) }
    let time = time
    let isExpressible = try await transaction.perform { writer in
      try await writer.agrees(
        added.map { EdgeEnds(id, kind, $0, named: name) },
        removed.map { EdgeEnds(id, kind, $0, named: name) },
        others.map { EdgeEnds(id, kind, $0, named: name) },
        after: time
      )
    }
    guard !isExpressible else { return }
    throw laterRelation(name, of: id)
  }

  /// Returns the entities to which a relation of an entity ever led, as far as its adds and its
  /// property of that name say.
  package func everRelated(
    _ id: EntityID,
    _ kind: RelationKind,
    named name: PropertyKey
  ) async throws -> Set<EntityID> {
    try await transaction.perform { writer in
      var others: Set<EntityID> = []
      if kind != .ownedBy {
        let relation = Relation(kind == .owns ? .owns : .free, name)
        others.formUnion(try await writer.commit.adds(from: id, in: relation).map(\.target))
      }
      for version in try await writer.commit.history(of: id, key: name, limit: nil) {
        if case .value(_, .reference(let other), _) = version.content { others.insert(other) }
      }
      return others
    }
  }

  /// Returns the error for a relation that changed later.
  package func laterRelation(_ name: PropertyKey, of id: EntityID) -> VarveError {
    refusal("the relation \"\(name)\" of \(id) changed later than the time of the document", id)
  }

  private func refusal(_ message: String, _ id: EntityID) -> VarveError {
    VarveError(
      .invalidArgument,
      message,
      at: "entity \(id)",
      remedy: "Import dated documents in the order of their dates.",
      entity: id
    )
  }
}

extension CommitWriter {
  /// Returns whether edges can be added and removed from a time on without a change of later
  /// states: at the next change of any of the edges, the added ones stand and the removed ones do
  /// not.
  fileprivate func agrees(
    _ added: [EdgeEnds],
    _ removed: [EdgeEnds],
    _ others: [EdgeEnds],
    after time: HybridTime
  ) async throws -> Bool {
    var next: HybridTime?
    for edge in added + removed + others {
      let times = try await commit.times(from: edge.source, in: edge.relation, to: edge.target)
      let later = times.adds.union(times.removals).filter { $0 > time.lastOfDate }.min()
      next = [next, later].compactMap(\.self).min()
    }
    guard let next else { return true }
    for edge in added where try await standing(edge, at: next) == nil { return false }
    for edge in removed where try await standing(edge, at: next) != nil { return false }
    return true
  }
}
