/// A reader of one state of a log. It is valid inside the body it is passed to.
package protocol BackendReader: AnyObject, EntityReader, QueryReader, EdgeReader, HistoryReader {
  /// Fixes the state now. Otherwise a reader may fix it at its first read, which suffices for a
  /// body that reads at once.
  func pin() async throws
}

extension BackendReader {
  package func pin() async throws {}

  package func labels() async throws -> [EntityType] { try await types().map(\.type) }

  package func names(of type: EntityType) async throws -> [EntityName] {
    try await fetch(Query(type)).enumerated().map {
      EntityName(id: $1.id, datestamp: $1.datestamp, place: Int64($0))
    }
  }

  package func ids(of query: Query) async throws -> [EntityID] {
    var seen: Set<EntityID> = []
    return try await fetch(query).map(\.id).filter { seen.insert($0).inserted }
  }

  package func edge(
    from source: EntityID,
    in relation: Relation,
    to target: EntityID
  ) async throws -> RelationEdge? {
    try await edges(to: target, of: relation.kind).first {
      $0.source == source && $0.relation == relation && !$0.isFromFormerLife
    }
  }
}

extension BackendReader {
  /// Returns the conflicts between replicas: values and, in the present state, deaths.
  package func conflicts() async throws -> [Conflict] {
    (try await valueConflicts() + unseenDeaths()).sorted(by: Conflict.precedes)
  }
}
