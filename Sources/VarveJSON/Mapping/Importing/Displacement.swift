import VarveCore
import VarveStore

/// The former targets of relations with the policy `replace`, of which the unneeded ones end.
final class Displacement {
  private var candidates: [EntityID] = []
  private var seen: Set<EntityID> = []

  func add(_ id: EntityID) { if seen.insert(id).inserted { candidates.append(id) } }

  /// Returns the candidates that can end: the document does not name them, and no remaining entity
  /// owns them or refers to them.
  ///
  /// - Complexity: O(candidates and their relations), and a pass over all entities, because any
  ///   property may contain a reference. O(1) without candidates.
  func unreferenced(
    in transaction: WriteTransaction,
    alsoEnding ending: [EntityID],
    sparing named: NamedEntities
  ) async throws -> [EntityID] {
    let gone = Set(ending)
    var rest = candidates.filter { !gone.contains($0) && !named.contains($0) }
    guard !rest.isEmpty else { return [] }
    let referrers = try await self.referrers(in: transaction)
    while !rest.isEmpty {
      let doomed = Set(try await transaction.previewErasure(of: ending + rest).deaths.map(\.id))
      let kept = rest.filter { id in referrers[id]?.contains { !doomed.contains($0) } ?? false }
      if kept.isEmpty { return rest.filter { doomed.contains($0) } }
      let keptSet = Set(kept)
      rest.removeAll { keptSet.contains($0) }
    }
    return []
  }

  /// Returns the live entities that own, relate to or refer to each candidate, without itself.
  private func referrers(in transaction: WriteTransaction) async throws -> [EntityID: Set<EntityID>]
  {
    let wanted = seen
    return try await transaction.reading { state in
      var referrers: [EntityID: Set<EntityID>] = [:]
      for id in wanted {
        for kind in [Relation.Kind.owns, .free, .member] {
          for edge in try await state.reader.edges(to: id, of: kind)
          where !edge.isFromFormerLife && edge.source != id {
            guard case .live = try await state.reader.status(of: edge.source) else { continue }
            referrers[id, default: []].insert(edge.source)
          }
        }
      }
      for type in try await state.reader.labels() {
        try await state.reader.fetch(Query(type), pageSize: 1_000) { page in
          for entity in page {
            entity.forEachReference { target in
              guard target != entity.id, wanted.contains(target) else { return }
              referrers[target, default: []].insert(entity.id)
            }
          }
          return true
        }
      }
      return referrers
    }
  }
}

extension StoredEntity {
  /// Calls the body with every reference in a property, including those in arrays and dictionaries.
  fileprivate func forEachReference(_ body: (EntityID) -> Void) {
    for value in values { value?.forEachReference(body) }
    for property in others.values { property.value.forEachReference(body) }
  }
}

extension Value {
  fileprivate func forEachReference(_ body: (EntityID) -> Void) {
    switch self {
    case .reference(let id): body(id)
    case .array(let values): for value in values { value.forEachReference(body) }
    case .dictionary(let fields): for value in fields.values { value.forEachReference(body) }
    default: break
    }
  }
}
