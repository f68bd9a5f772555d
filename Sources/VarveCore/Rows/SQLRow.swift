/// What a statement of SQL returns: it has columns even if it has no rows.
package struct SQLTable: Sendable {
  package let columns: [String]
  package let rows: [SQLRow]

  package init(columns: [String], rows: [SQLRow]) { (self.columns, self.rows) = (columns, rows) }
}

/// A row that your own SQL returns.
public struct SQLRow: Hashable, Sendable {
  /// The names of the columns.
  public let columns: [String]
  /// The values as SQLite has them, in the order of the columns: integers, doubles, texts and data;
  /// nil for NULL.
  public let values: [Value?]

  package init(columns: [String], values: [Value?]) {
    (self.columns, self.values) = (columns, values)
  }

  /// Returns the value of the first column with a name; nil if it is NULL or there is none.
  public subscript(column: String) -> Value? {
    columns.firstIndex(of: column).flatMap { values[$0] }
  }
}
