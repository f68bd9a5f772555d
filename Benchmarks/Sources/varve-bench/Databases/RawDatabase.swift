import GRDBSQLite

/// SQLite by its C interface: the least anything on it can cost.
final class RawDatabase {
  private let handle: OpaquePointer

  init(_ path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
      throw RawError(description: "cannot open \(path)")
    }
    self.handle = handle
    for pragma in Pragmas.all { try execute(pragma) }
  }

  deinit { sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  func prepare(_ sql: String) throws -> RawStatement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle,
      sql,
      -1,
      UInt32(SQLITE_PREPARE_PERSISTENT),
      &statement,
      nil
    )
    guard code == SQLITE_OK, let statement else { throw failure(sql) }
    return RawStatement(statement, self)
  }

  /// Runs a closure as one transaction.
  func transaction(_ body: () throws -> Void) throws {
    try execute("BEGIN IMMEDIATE")
    try body()
    try execute("COMMIT")
  }

  /// The row number of the last insertion.
  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Moves everything into the database itself.
  func checkpoint() throws { try execute("PRAGMA wal_checkpoint(TRUNCATE)") }

  func failure(_ what: String) -> RawError {
    RawError(description: "\(what): " + (sqlite3_errmsg(handle).map { String(cString: $0) } ?? ""))
  }
}

/// An error of SQLite.
struct RawError: Error, CustomStringConvertible {
  let description: String
}
