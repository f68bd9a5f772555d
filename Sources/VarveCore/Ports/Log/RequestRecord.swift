/// The record of a request's outcome, which a server writes so that the request takes effect once:
/// an ordinary entity, which only the server may write on behalf of its callers.
package enum RequestRecord {
  /// The type of the entities.
  package static let entityType: EntityType = "varve.request"

  /// The beginning of the identifiers of the entities.
  package static let prefix = "varve.request/"
}

extension EntityID {
  /// Whether this identifies the record of a request's outcome.
  package var isRequestRecord: Bool {
    guard case .text(let text) = storage else { return false }
    return text.utf8.starts(with: RequestRecord.prefix.utf8)
  }
}

extension Section {
  /// Whether cells concern the record of a request's outcome.
  var concernsRequests: Bool {
    switch self {
    case .creations(let table):
      table.type == RequestRecord.entityType || table.ids.contains(where: \.isRequestRecord)
    case .cells(let cells):
      cells.contains { $0.content.concernsRequest(of: $0.entity) }
    }
  }
}

extension Cell.Content {
  /// Returns whether a cell of an entity concerns the record of a request's outcome: the entity is
  /// one, is to be one, or owns one, with which it would live and die.
  func concernsRequest(of entity: EntityID) -> Bool {
    if entity.isRequestRecord { return true }
    switch self {
    case .life(.created(let type, _)), .life(.recreated(let type, _)):
      return type == RequestRecord.entityType
    case .add(let relation, let target, _, _), .remove(let relation, let target, _):
      return relation.kind == .owns && target.isRequestRecord
    case .life, .value, .removal, .collection: return false
    }
  }
}
