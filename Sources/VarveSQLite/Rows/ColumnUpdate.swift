import VarveCore

/// The statement that sets one column of a type, prepared for a version of the catalogue.
final class ColumnUpdate {
  let key: PropertyKey
  let column: ColumnLayout
  let typeNumber: Int64
  let version: Int64
  let statement: Statement

  init(_ column: ColumnLayout, ofType number: Int64, version: Int64, _ statement: Statement) {
    key = column.key
    self.column = column
    typeNumber = number
    self.version = version
    self.statement = statement
  }
}

/// A column of a type, by their numbers.
struct ColumnUpdateKey: Hashable {
  var type: Int64
  var key: Int64
}
