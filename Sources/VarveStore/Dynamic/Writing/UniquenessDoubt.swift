import VarveCore

/// Values that are not unique within a transaction. Two entities may exchange values, so the doubt
/// is settled at the end.
struct UniquenessDoubt {
  let id: EntityID
  /// The query for all entities with the values.
  let query: Query
  let error: ValidationError

  /// Returns whether both the entity and another one have the values.
  func isConfirmed(by reader: any BackendReader) async throws -> Bool {
    let own = query.where(.compare(.identifier, .equal, .string(id.text)))
    guard try await reader.count(own) > 0 else { return false }
    return try await reader.count(query.limit(2)) > 1
  }
}
