/// The properties that a model reads of every row, by position.
///
/// It is created once for a model; backends cache statements for it.
package final class RowShape: Sendable {
  /// One property of a model.
  package struct Column: Sendable {
    package var key: PropertyKey
    /// The property's former names, newest first: read if the current one is missing.
    package var older: [PropertyKey]
    /// Converts a value of another kind, which another version of the model wrote.
    package var convert: (@Sendable (Value) -> Value?)?

    package init(
      _ key: PropertyKey,
      older: [PropertyKey] = [],
      convert: (@Sendable (Value) -> Value?)? = nil
    ) {
      self.key = key
      self.older = older
      self.convert = convert
    }

    /// The field of the property in a query.
    package var field: Field { older.isEmpty ? .property(key) : .firstOf(key, older) }
  }

  package let columns: [Column]
  private let positions: [String: Int]

  package init(_ columns: [Column]) {
    self.columns = columns
    positions = Dictionary(
      columns.enumerated().map { ($1.key.text, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Returns the position of a property.
  package func position(of name: String) -> Int? { positions[name] }
}
