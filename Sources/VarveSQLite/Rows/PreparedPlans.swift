/// Statements and plans for reading and writing rows. Each has the version of the catalogue it was
/// made for, and is made again if the catalogue has another version.
struct PreparedPlans {
  /// The insertion planned last.
  var insertion: InsertionPlan?
  /// The column that was set last.
  var column: ColumnUpdate?
  /// The statements that set one column, by type and key.
  var columns: [ColumnUpdateKey: ColumnUpdate] = [:]
  /// How rows of each type are read, with the statement that finds one.
  var rows: [Int64: (version: Int64, reader: RowReader, byRow: Statement)] = [:]
  /// How the first entity with some values is found.
  var lookups: [LookupKey: PreparedLookup] = [:]
  /// How models are read, with the statement that finds one row.
  var shapes: [ObjectIdentifier: PreparedShape] = [:]
  /// The names of types in SQL of callers.
  var callerTables: CallerTables?
  /// The plan by which a single row was found last, while the present was complete.
  var lastShape: PreparedShape?

  mutating func forget() { self = PreparedPlans() }

  /// Whether none was made for a later version of the catalogue.
  func isUpTo(_ version: Int64) -> Bool {
    insertion.map { $0.version <= version } ?? true && column.map { $0.version <= version } ?? true
      && columns.values.allSatisfy { $0.version <= version }
      && lookups.values.allSatisfy { $0.version <= version }
      && rows.values.allSatisfy { $0.version <= version }
      && shapes.values.allSatisfy { $0.catalogueVersion <= version }
      && callerTables.map { $0.version <= version } ?? true
      && lastShape.map { $0.catalogueVersion <= version } ?? true
  }
}
