/// Default implementations for a backend that reads models as entities, without SQL.
extension BackendReader {
  package func rows<Result>(
    _ query: Query,
    _ shape: RowShape,
    _ body: (any RowCursor) async throws -> Result
  ) async throws -> Result {
    try await body(EntityCursor(shape, try await fetch(query)))
  }

  package func row<Result>(
    _ id: EntityID,
    of types: [EntityType],
    _ shape: RowShape,
    _ body: (any RowCursor) throws -> Result
  ) async throws -> Result? {
    guard let entity = try await entity(id), types.contains(entity.type) else { return nil }
    let cursor = EntityCursor(shape, [entity])
    _ = try cursor.advance()
    return try body(cursor)
  }

  package func aggregate(
    _ query: Query,
    by keys: [Field],
    _ aggregations: [Aggregation]
  ) async throws -> [AggregateRow] {
    let rows = try await rows(of: query, for: aggregations, by: keys)
    return try Aggregation.evaluate(aggregations, by: keys, over: rows)
  }

  package func tables() async throws -> [EntityType: String]? { nil }

  package func knownKeys(of type: EntityType) async throws -> [KnownKey] {
    var keys: [PropertyKey: KnownKey] = [:]
    for entity in try await fetch(Query(type)) {
      for (key, property) in entity.properties {
        let kind = property.value.kind
        keys[key, default: KnownKey(key, kind, mayHaveOthers: true, isIndexed: false)].kind = kind
      }
    }
    return keys.values.sorted { $0.key < $1.key }
  }

  package func table(_ sql: SQLText) async throws -> SQLTable { throw Self.noSQL }

  package func sql(_ query: Query) async throws -> SQLText { throw Self.noSQL }

  package func explain(_ query: Query) async throws -> String { throw Self.noSQL }

  private static var noSQL: VarveError {
    VarveError(.unsupported, "this backend does not support SQL")
  }

  package func isIndexed(_ keys: [PropertyKey], of type: EntityType) async throws -> Bool { true }

  package func isSearched(_ wishes: [SearchWish], of type: EntityType) async throws -> Bool { true }
}
