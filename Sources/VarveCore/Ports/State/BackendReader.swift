/// One state of a log, being read. Valid inside the body it was given to.
package protocol BackendReader: AnyObject, EntityReader, QueryReader, EdgeReader, HistoryReader {
  /// Takes the state now. Without it a reader may take it at its first read, which is soon enough
  /// for one that reads at once.
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

  package func label(of id: EntityID) async throws -> EntityType? {
    if case .live(let type) = try await status(of: id) { return type }
    let life = try await history(of: id, key: nil, limit: nil).lazy.compactMap { version in
      switch version.content {
      case .life(.created(let type, _)), .life(.recreated(let type, _)): type
      default: nil as EntityType?
      }
    }
    return life.first
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
  /// What replicas did apart: values and, in the present state, deaths.
  package func conflicts() async throws -> [Conflict] {
    (try await valueConflicts() + unseenDeaths()).sorted(by: Conflict.precedes)
  }
}
