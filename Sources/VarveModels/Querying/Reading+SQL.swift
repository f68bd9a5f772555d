public import VarveCore
public import VarveEntities

/// Reads tables by your own SQL.
extension Reading {
  /// Returns the rows of an SQL statement that reads the tables of this state.
  ///
  /// ```swift
  /// let rows = try await store.rows(
  ///   sql: "SELECT color, count(*) AS n FROM hats WHERE brim_size > ? GROUP BY color", [10])
  /// for row in rows { print(row["color"] ?? "none", row["n"] ?? 0) }
  /// ```
  ///
  /// Types are tables and keys are columns, under the names that ``schema()`` returns, quoted as SQL
  /// quotes names: `"my type"`. They are views of this state, the present or a past one. Beside the
  /// keys, a table has the columns `id`, `"@datestamp"` and `"@modified"`.
  ///
  /// Dates are texts in UTC, `YYYY-MM-DD HH:MM:SS.SSS`, rounded to milliseconds, which compare as
  /// the dates do and which SQLite's functions read; outside the years 0 to 9999 they are seconds
  /// since 1970. `varve_date('2010-01-01')` reads a date in any form that the command line reads.
  /// Truth values are 0 and 1, and data are blobs. `varve_text(id)` is an identifier or a reference
  /// as text, and `varve_json(tags)` an array or a dictionary as JSON. To-many properties and NaN
  /// are null. Texts are in single quotes; double quotes are for names.
  ///
  /// Behind the schema `main` are Varve's own tables and those of types as they are stored, always
  /// of the present.
  ///
  /// The statement can only read: anything else, and more than one statement, is refused before it
  /// runs. The SQL is trusted: bind user input by placeholders.
  ///
  /// The statement keeps the caller's thread until it ends: the main thread if the caller is on the
  /// main actor, otherwise one of those that Swift's tasks share, of which there are as many as
  /// cores. It ends when the task is cancelled, as every query does. To limit its time, run
  /// it in a task of its own and cancel that task from a timer of Dispatch, which needs none of these
  /// threads:
  ///
  /// ```swift
  /// let task = Task.detached { try await store.rows(sql: text) }
  /// DispatchQueue.global().asyncAfter(deadline: .now() + 5) { task.cancel() }
  /// let rows = try await task.value
  /// ```
  ///
  /// - Throws: `CancellationError`; ``VarveError``: `invalidQuery` if SQLite finds an error in the
  ///   SQL, if it does more than read, or if it has another number of placeholders than there are
  ///   values; `unsupported` if the backend has no SQL.
  /// - Complexity: O(rows examined); the rows are in memory together.
  public func rows(sql: String, _ values: [Value] = []) async throws -> [SQLRow] {
    try await table(sql: sql, values).rows
  }

  /// Returns the columns of an SQL statement, and its rows.
  package func table(sql: String, _ values: [Value]) async throws -> SQLTable {
    try await reading { try await $0.reader.table(SQLText(sql, values)) }
  }

  /// Returns the rows of an SQL statement as instances of a type, whose coding keys are the names
  /// of the columns. NULL is a missing value.
  ///
  /// ```swift
  /// struct Tally: Decodable { var color: String?; var n: Int }
  /// let tallies = try await store.rows(
  ///   sql: "SELECT color, count(*) AS n FROM hats GROUP BY color", as: Tally.self)
  /// ```
  ///
  /// Truth values are read from 0 and 1, dates from texts as columns show them and from seconds since 1970, identifiers from
  /// texts and UUIDs, and decimal numbers from texts and numbers.
  ///
  /// - Throws: ``VarveError``: `typeMismatch` if a column is not of the property's type, and as
  ///   ``rows(sql:_:)``.
  public func rows<Row: Decodable>(
    sql: String,
    _ values: [Value] = [],
    as type: Row.Type
  ) async throws -> [Row] {
    try await rows(sql: sql, values).map { row in
      var fields: [PropertyKey: Value] = [:]
      for (name, value) in zip(row.columns, row.values) where fields[PropertyKey(name)] == nil {
        fields[PropertyKey(name)] = value
      }
      return try ValueDecoder().decode(type, fromColumns: .dictionary(fields))
    }
  }
}
