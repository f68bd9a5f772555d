/// What a model reads of every row: its properties, by position.
///
/// Made once for a model; backends keep what they prepare for it.
package final class RowShape: Sendable {
  /// One property of a model.
  package struct Column: Sendable {
    package var key: PropertyKey
    /// What it was called in older versions of the model, newest first: read where it is missing.
    package var older: [PropertyKey]
    /// Makes of a value of another kind, written by another version of the model, one of this.
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

    /// What a query sees in it.
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

  /// Where a property stands.
  package func position(of name: String) -> Int? { positions[name] }
}
