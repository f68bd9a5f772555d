/// The values of some fields of a query, also of joined types, in one of its rows.
package struct FieldValues: FieldSource {
  /// The place of each field among the values.
  private let places: [Field: Int]
  private let values: [Value?]

  fileprivate init(_ places: [Field: Int], _ values: [Value?]) {
    self.places = places
    self.values = values
  }

  package func value(of field: Field) -> Value? {
    places[field.stored].flatMap { values[$0] }.flatMap(field.interpreted)
  }
}

extension BackendReader {
  /// Returns the rows of a query, with the fields that aggregations need.
  package func rows(
    of query: Query,
    for aggregations: [Aggregation],
    by keys: [Field]
  ) async throws -> [FieldValues] {
    var fields: [Field] = []
    var places: [Field: Int] = [:]
    for field in keys + aggregations.compactMap(\.field) where places[field.stored] == nil {
      places[field.stored] = fields.count
      fields.append(field.stored)
    }
    // Counting rows needs no field, but a row needs at least one.
    if fields.isEmpty { fields = [.identifier] }
    return try await values(of: fields, in: query).map { [places] in FieldValues(places, $0) }
  }
}
