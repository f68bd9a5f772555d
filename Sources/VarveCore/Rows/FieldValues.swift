/// What some fields of a query, of joined types too, say of one of its rows.
package struct FieldValues: FieldSource {
  /// The place of each field among the values.
  private let places: [Field: Int]
  private let values: [Value?]

  fileprivate init(_ places: [Field: Int], _ values: [Value?]) {
    self.places = places
    self.values = values
  }

  package func value(of field: Field) -> Value? {
    let stored = places[field.stored].flatMap { values[$0] }
    return field.isDecimal ? stored?.asDecimal : stored
  }
}

extension BackendReader {
  /// The rows of a query, as far as aggregations look at them.
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
    // Rows are counted where nothing is looked at.
    if fields.isEmpty { fields = [.identifier] }
    return try await values(of: fields, in: query).map { [places] in FieldValues(places, $0) }
  }
}
