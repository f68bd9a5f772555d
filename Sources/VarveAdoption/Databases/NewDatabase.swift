import Foundation
import SQLiteLibrary
import VarveCore
import VarveSQLite

/// An SQLite database that is written for other programs.
///
/// It is complete once ``close()`` returns; before, and after an error, the file is of no use. One
/// caller uses it at a time.
final class NewDatabase {
  /// The path, for messages.
  let place: String
  private var handle: OpaquePointer?

  /// Creates a file.
  ///
  /// - Parameter name: the name that it will have, for messages.
  /// - Throws: `VarveError`: `invalidArgument` if there is one already; `inputOutput`,
  ///   `readOnly`, `diskFull`.
  init(file path: String, named name: String? = nil) throws {
    place = name ?? path
    guard !FileManager.default.fileExists(atPath: path) else {
      throw VarveError(
        .invalidArgument,
        "the file exists",
        at: path,
        remedy: "Remove it, or name another file."
      )
    }
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
    let code = sqlite3_open_v2(DatabaseName.literal(path), &handle, flags, nil)
    guard code == SQLITE_OK else { throw failure(code) }
    // A file that is not complete is removed, so it needs no journal.
    try execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = FULL; BEGIN")
  }

  deinit { if let handle { sqlite3_close_v2(handle) } }

  /// Runs statements without results.
  func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Returns the insertion of rows into a table.
  func insertion(into table: String, columnCount: Int) throws -> Insertion {
    let marks = [String](repeating: "?", count: columnCount).joined(separator: ", ")
    let sql = "INSERT INTO \(ForeignDatabase.quoted(table)) VALUES (\(marks))"
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(code) }
    return Insertion(statement, of: self)
  }

  /// Commits and closes the file.
  func close() throws {
    try execute("COMMIT")
    let code = sqlite3_close_v2(handle)
    guard code == SQLITE_OK else { throw failure(code) }
    handle = nil
  }

  fileprivate func failure(_ code: Int32) -> VarveError {
    let message = handle.flatMap(sqlite3_errmsg).map { String(cString: $0) } ?? "out of memory"
    let system = handle.map(sqlite3_system_errno) ?? 0
    return SQLiteFailure.error(code, message, at: place, systemError: system)
  }

  /// Inserts rows into one table.
  final class Insertion {
    private let statement: OpaquePointer
    private let database: NewDatabase

    fileprivate init(_ statement: OpaquePointer, of database: NewDatabase) {
      self.statement = statement
      self.database = database
    }

    deinit { sqlite3_finalize(statement) }

    /// Inserts a row. Truth values are integers; dates, references, arrays and dictionaries are not
    /// values of SQLite, and null.
    func add(_ row: [Value?]) throws {
      for (index, value) in row.enumerated() {
        let code = bind(value, at: Int32(index + 1))
        guard code == SQLITE_OK else { throw database.failure(code) }
      }
      let code = sqlite3_step(statement)
      guard code == SQLITE_DONE else { throw database.failure(code) }
      sqlite3_reset(statement)
    }

    private func bind(_ value: Value?, at place: Int32) -> Int32 {
      // SQLite copies the bytes before the call returns.
      let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      switch value {
      case .bool(let truth): return sqlite3_bind_int64(statement, place, truth ? 1 : 0)
      case .int(let number): return sqlite3_bind_int64(statement, place, number)
      case .double(let number): return sqlite3_bind_double(statement, place, number)
      case .string(let text):
        var text = text
        return text.withUTF8 { bytes in
          let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
          let count = UInt64(bytes.count)
          return start == nil
            ? sqlite3_bind_text(statement, place, "", 0, copies)
            : sqlite3_bind_text64(statement, place, start, count, copies, UInt8(SQLITE_UTF8))
        }
      case .data(let data):
        guard !data.isEmpty else { return sqlite3_bind_zeroblob(statement, place, 0) }
        return data.withUnsafeBytes { bytes in
          sqlite3_bind_blob64(statement, place, bytes.baseAddress, UInt64(bytes.count), copies)
        }
      default: return sqlite3_bind_null(statement, place)
      }
    }
  }
}
