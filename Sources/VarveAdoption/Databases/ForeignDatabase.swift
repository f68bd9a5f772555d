import Foundation
import SQLiteLibrary
import VarveCore
import VarveSQLite

/// An SQLite database that another program owns, read in one state and never written.
///
/// One caller uses it at a time.
final class ForeignDatabase {
  /// The path, for messages.
  let place: String
  private let handle: OpaquePointer

  /// The bytes with which every SQLite database begins.
  static let header = Array("SQLite format 3\0".utf8)

  /// The milliseconds for which a reader waits while the owner recovers or checkpoints its log.
  private static let patience: Int32 = 5_000

  /// Opens a file and begins to read the state that it has now.
  ///
  /// - Throws: `VarveError`: `notFound`, `inputOutput`, `invalidArgument` for a file that is no
  ///   database, `damaged`, `busy`.
  init(file path: String) throws {
    place = path
    guard FileManager.default.fileExists(atPath: path) else {
      throw VarveError(
        .notFound,
        "there is no such database",
        at: path,
        remedy: "Check the path of the file."
      )
    }
    try CompanionFile.requireOwn(beside: path, at: path)
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_FULLMUTEX
    let code = sqlite3_open_v2(DatabaseName.literal(path), &handle, flags, nil)
    guard let handle else { throw Self.error(code, "out of memory", at: path) }
    self.handle = handle
    // From here on, deinit closes the handle.
    guard code == SQLITE_OK else { throw failure(code) }
    sqlite3_busy_timeout(handle, Self.patience)
    // The transaction's state is that of its first read.
    for sql in ["BEGIN", "SELECT count(*) FROM sqlite_master"] {
      let code = sqlite3_exec(handle, sql, nil, nil, nil)
      guard code == SQLITE_OK else { throw failure(code) }
    }
    try refuseStore()
    try refuseTruncated()
  }

  /// The tables of a store are an index of its log. Their rows are not what it stores.
  private func refuseStore() throws {
    guard try integer("PRAGMA application_id") == Schema.applicationID else { return }
    throw VarveError(
      .invalidArgument,
      "the database is a store of Varve",
      at: place,
      remedy: "Merge it or load an export of it: `varve merge`, `varve load`."
    )
  }

  /// SQLite reads bytes that are missing from the last page as zeros. In WAL mode, the last pages
  /// may be in the log only.
  private func refuseTruncated() throws {
    guard try all("PRAGMA journal_mode").first?.first != .string("wal") else { return }
    let size = try integer("PRAGMA page_size") * integer("PRAGMA page_count")
    let url = URL(fileURLWithPath: place).resolvingSymlinksInPath()
    guard let count = try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize, count < size else {
      return
    }
    throw VarveError(
      .damaged,
      "the file has \(count) of \(size) bytes",
      at: place,
      remedy: "Restore the database from a copy, or recover it with the `sqlite3` tool."
    )
  }

  private func integer(_ sql: String) throws -> Int64 {
    guard case .int(let number) = try all(sql).first?.first else { return 0 }
    return number
  }

  deinit { sqlite3_close_v2(handle) }

  /// Returns all rows of a query.
  func all(_ sql: String) throws -> [[Value?]] {
    let rows = try rows(sql)
    var all: [[Value?]] = []
    while let row = try rows.next() { all.append(row) }
    return all
  }

  /// Returns the rows of a query, read one by one.
  func rows(_ sql: String) throws -> ForeignRows {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(code) }
    return ForeignRows(statement, of: self)
  }

  /// Returns a name as an SQL identifier.
  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  fileprivate func failure(_ code: Int32) -> VarveError {
    let message = sqlite3_errmsg(handle).map { String(cString: $0) } ?? "unknown error"
    return Self.error(code, message, at: place)
  }

  private static func error(_ code: Int32, _ message: String, at place: String) -> VarveError {
    let text = "SQLite: \(message) (code \(code))"
    switch code & 0xFF {
    case SQLITE_NOTADB:
      return VarveError(
        .invalidArgument,
        text,
        at: place,
        remedy: "Name an SQLite database that is not encrypted."
      )
    case SQLITE_CORRUPT:
      return VarveError(
        .damaged,
        text,
        at: place,
        remedy: "Restore the database from a copy, or recover it with the `sqlite3` tool."
      )
    case SQLITE_ERROR, SQLITE_CANTOPEN, SQLITE_READONLY:
      return VarveError(
        .inputOutput,
        text,
        at: place,
        remedy:
          "Check that the sqlite3 tool can read the table, or omit it; a database in WAL mode "
          + "needs a writable folder, or a copy."
      )
    default: return SQLiteFailure.error(code, message, at: place)
    }
  }
}

/// The rows of a query of a foreign database.
final class ForeignRows {
  private let statement: OpaquePointer
  private let database: ForeignDatabase

  fileprivate init(_ statement: OpaquePointer, of database: ForeignDatabase) {
    self.statement = statement
    self.database = database
  }

  deinit { sqlite3_finalize(statement) }

  /// Returns the next row, or nil after the last. A text that is not UTF-8 is returned as data.
  func next() throws -> [Value?]? {
    let code = sqlite3_step(statement)
    guard code != SQLITE_DONE else { return nil }
    guard code == SQLITE_ROW else { throw database.failure(code) }
    return (0..<sqlite3_column_count(statement)).map(value)
  }

  private func value(_ column: Int32) -> Value? {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .int(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .double(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      let start = sqlite3_column_text(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      let bytes = UnsafeBufferPointer(start: start, count: count)
      return String(validating: bytes, as: UTF8.self).map { .string($0) }
        ?? .data(Data(buffer: bytes))
    case SQLITE_BLOB:
      guard let start = sqlite3_column_blob(statement, column) else { return .data(Data()) }
      return .data(Data(bytes: start, count: Int(sqlite3_column_bytes(statement, column))))
    default: return nil
    }
  }
}
