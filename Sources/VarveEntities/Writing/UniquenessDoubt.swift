package import VarveCore

/// Values that are not unique within a transaction. Two entities may exchange values, so the doubt
/// is settled at the end.
package struct UniquenessDoubt {
  package let id: EntityID
  /// The query for all entities with the values.
  package let query: Query
  package let error: ValidationError

  package init(id: EntityID, query: Query, error: ValidationError) {
    self.id = id
    self.query = query
    self.error = error
  }

  /// Returns whether both the entity and another one have the values.
  func isConfirmed(by reader: any BackendReader) async throws -> Bool {
    let own = query.where(.compare(.identifier, .equal, .string(id.text)))
    guard try await reader.count(own) > 0 else { return false }
    return try await reader.count(query.limit(2)) > 1
  }
}
