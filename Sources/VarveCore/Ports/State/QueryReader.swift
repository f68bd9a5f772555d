/// The queries on a state.
package protocol QueryReader {
  /// Returns the entities of a query, all at once.
  func fetch(_ query: Query) async throws -> [StoredEntity]

  /// Passes the entities of a query to the body, at most `pageSize` at a time, until it returns
  /// false.
  func fetch(
    _ query: Query,
    pageSize: Int,
    _ body: ([StoredEntity]) async throws -> Bool
  ) async throws

  /// Returns the identifiers of the entities of a query, each once.
  func ids(of query: Query) async throws -> [EntityID]

  /// Returns the number of entities that a query would fetch.
  func count(_ query: Query) async throws -> Int

  /// Returns the name of each type in SQL; nil if SQL can find the rows under other names, or not
  /// at all.
  func tables() async throws -> [EntityType: String]?

  /// Returns the keys that entities of a type have had, in byte order. The present ones may have
  /// none of them.
  func knownKeys(of type: EntityType) async throws -> [KnownKey]

  /// Returns the values of fields, also of joined types, for each row of a query.
  func values(of fields: [Field], in query: Query) async throws -> [[Value?]]

  /// Passes a cursor over the rows of a query to the body, in the shape of a model. The body
  /// advances the cursor as far as it needs, and may suspend in between.
  func rows<Result>(
    _ query: Query,
    _ shape: RowShape,
    _ body: (any RowCursor) async throws -> Result
  ) async throws -> Result

  /// Passes a live entity of one of some types to the body, in the shape of a model. Returns nil
  /// without calling the body if there is none.
  func row<Result>(
    _ id: EntityID,
    of types: [EntityType],
    _ shape: RowShape,
    _ body: (any RowCursor) throws -> Result
  ) async throws -> Result?

  /// Returns the results of aggregations over the rows of a query, group by group, in order of the
  /// keys.
  func aggregate(
    _ query: Query,
    by keys: [Field],
    _ aggregations: [Aggregation]
  ) async throws -> [AggregateRow]

  /// Returns the columns and rows of SQL that reads the tables of the state.
  func table(_ sql: SQLText) async throws -> SQLTable

  /// Returns the query as plain SQL.
  func sql(_ query: Query) async throws -> SQLText

  /// Returns the backend's description of how it runs a query.
  func explain(_ query: Query) async throws -> String

  /// Returns whether properties of a type have an index together, or one was requested.
  func isIndexed(_ keys: [PropertyKey], of type: EntityType) async throws -> Bool

  /// Returns whether the properties of a type have such full-text searches, or they were requested.
  func isSearched(_ wishes: [SearchWish], of type: EntityType) async throws -> Bool
}
