/// The queries a state answers.
package protocol QueryReader {
  /// The entities a query asks for, all at once.
  func fetch(_ query: Query) async throws -> [StoredEntity]

  /// The same in pages: calls the body with at most `pageSize` entities at a time until it
  /// answers false.
  func fetch(
    _ query: Query,
    pageSize: Int,
    _ body: ([StoredEntity]) async throws -> Bool
  ) async throws

  /// How many entities a query would fetch.
  func count(_ query: Query) async throws -> Int

  /// Returns the table of each type that raw SQL can name; nil if SQL can find the rows under other
  /// names, or not at all.
  func tables() async throws -> [EntityType: String]?

  /// What some fields, of joined types too, say of each row of a query.
  func values(of fields: [Field], in query: Query) async throws -> [[Value?]]

  /// The rows of a query as a model reads them. The body advances the cursor itself, as far as it
  /// wants, and may wait in between.
  func rows<Result>(
    _ query: Query,
    _ shape: RowShape,
    _ body: (any RowCursor) async throws -> Result
  ) async throws -> Result

  /// A live entity of one of some types as a model reads it; nil, and the body is not run, where
  /// there is none.
  func row<Result>(
    _ id: EntityID,
    of types: [EntityType],
    _ shape: RowShape,
    _ body: (any RowCursor) throws -> Result
  ) async throws -> Result?

  /// What aggregations make of the rows of a query, group by group, in order of the keys.
  func aggregate(
    _ query: Query,
    by keys: [Field],
    _ aggregations: [Aggregation]
  ) async throws -> [AggregateRow]

  /// The query as plain SQL.
  func sql(_ query: Query) async throws -> SQLText

  /// How the backend runs a query, in its own words.
  func explain(_ query: Query) async throws -> String

  /// Whether a property of a type has an index, or is to have one.
  func isIndexed(_ key: PropertyKey, of type: EntityType) async throws -> Bool

  /// Whether full-text search looks at these properties of a type, or shall.
  func isSearched(_ keys: [PropertyKey], of type: EntityType) async throws -> Bool
}
