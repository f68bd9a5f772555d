import VarveCore

/// The storage of a property of a type.
struct ColumnLayout: Equatable, Sendable {
  /// The number of the key in the catalogue.
  var keyNumber: Int64
  var key: PropertyKey
  /// The column, or nil for keys that live in the overflow column.
  var column: String?
  /// The kind of value the column holds. Integers and doubles share columns.
  var kind: Value.Kind
  /// The semantic type of values whose row does not specify another.
  var semanticType: String
  /// Whether some row has this key in the overflow column.
  var isSpilled: Bool
  /// Whether some row may have a value of another kind, or several values.
  var hasOtherKinds: Bool
  /// Whether an index was requested.
  var isIndexed: Bool
  /// What the catalogue says of a key with values of other kinds, or of kinds that nobody knows: older
  /// builds say it of every key that is spilled.
  static let spillOfOtherKinds: Int64 = 1
  /// What the catalogue says of a key whose values are all of the column's kind.
  static let spillOfSameKind: Int64 = 2
  /// The name of the key in SQL of the caller, if the layout is of a query with such SQL.
  var callerName: String?

  init(
    keyNumber: Int64,
    key: PropertyKey,
    column: String?,
    kind: Value.Kind,
    semanticType: String,
    isSpilled: Bool = false,
    hasOtherKinds: Bool? = nil,
    isIndexed: Bool = false
  ) {
    self.keyNumber = keyNumber
    self.key = key
    self.column = column
    self.kind = kind
    self.semanticType = semanticType
    self.isSpilled = isSpilled
    self.hasOtherKinds = hasOtherKinds ?? isSpilled
    self.isIndexed = isIndexed
  }

  /// Returns whether a value is stored in the column and not in the overflow column.
  func holds(_ value: Value) -> Bool {
    column != nil && !value.isNotComparable && isOfKind(value)
  }

  /// Returns whether a value is of the column's kind, or both are numbers.
  func isOfKind(_ value: Value) -> Bool {
    switch (kind, value.kind) {
    case (.int, .double), (.double, .int): true
    default: kind == value.kind
    }
  }

  /// The rank of the values in the column.
  var rank: Int {
    switch kind {
    case .bool: 1
    case .int, .double: 2
    case .date: 3
    case .string: 4
    case .data: 5
    case .reference: 6
    case .array: 7
    case .dictionary: 8
    }
  }
}

/// The table of a type.
struct TableLayout: Sendable {
  var typeNumber: Int64
  var type: EntityType
  var table: String
  /// Whether row numbers are in creation order.
  var isInOrder: Bool
  var columns: [ColumnLayout]
  /// The number of keys that have a column.
  private(set) var keyColumnCount: Int
  private var indices: [PropertyKey: Int]

  init(
    typeNumber: Int64,
    type: EntityType,
    table: String,
    isInOrder: Bool,
    columns: [ColumnLayout]
  ) {
    self.typeNumber = typeNumber
    self.type = type
    self.table = table
    self.isInOrder = isInOrder
    self.columns = columns
    keyColumnCount = columns.count { $0.column != nil }
    indices = [:]
    for (index, column) in columns.enumerated() { indices[column.key] = index }
  }

  func index(of key: PropertyKey) -> Int? { indices[key] }

  func column(_ key: PropertyKey) -> ColumnLayout? { indices[key].map { columns[$0] } }

  mutating func append(_ column: ColumnLayout) {
    indices[column.key] = columns.count
    columns.append(column)
    if column.column != nil { keyColumnCount += 1 }
  }

  /// Records that some row has a key in the overflow column.
  ///
  /// - Parameter hasOtherKinds: whether what is there may be of another kind than the column.
  mutating func noteSpill(_ key: PropertyKey, hasOtherKinds: Bool = true) {
    guard let index = indices[key] else { return }
    columns[index].isSpilled = true
    if hasOtherKinds { columns[index].hasOtherKinds = true }
  }

  /// The columns of the table that hold keys.
  var keyColumns: [String] { columns.compactMap(\.column) }
}

extension TableLayout {
  /// `CREATE TABLE`, with the columns of the type's keys.
  var creation: String {
    let keys = keyColumns.map { ", \($0.quotedIdentifier)" }.joined()
    return """
      CREATE TABLE \(table.quotedIdentifier) (row INTEGER PRIMARY KEY, id, datestamp, modified, \
      ordinal, more\(keys))
      """
  }

  /// Returns an expression for a time of change, which is not before the datestamp.
  ///
  /// `max` would call a function for each row.
  static func later(_ time: String) -> String {
    "CASE WHEN datestamp > \(time) THEN datestamp ELSE \(time) END"
  }

  /// Returns the `ALTER TABLE` statement for a further key.
  func addition(of column: String) -> String {
    "ALTER TABLE \(table.quotedIdentifier) ADD COLUMN \(column.quotedIdentifier)"
  }

  /// Returns the name of the index on columns.
  func indexName(_ columns: [ColumnLayout]) -> String {
    (["varve_index_\(typeNumber)"] + columns.map { "\($0.keyNumber)" }).joined(separator: "_")
  }

  /// Returns the `CREATE INDEX` statement for keys; nil if one has no column.
  func indexCreation(on columns: [ColumnLayout]) -> String? {
    let names = columns.compactMap { $0.column?.quotedIdentifier }
    guard names.count == columns.count, !names.isEmpty else { return nil }
    return """
      CREATE INDEX IF NOT EXISTS \(indexName(columns)) \
      ON \(table.quotedIdentifier) (\(names.joined(separator: ", ")))
      """
  }
}
