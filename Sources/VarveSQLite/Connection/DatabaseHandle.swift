import SQLiteLibrary
import VarveCore

/// An open database of SQLite's, used by one thread at a time.
struct DatabaseHandle {
  let pointer: OpaquePointer

  /// What SQLite's C interface reported: its extended result code and its message.
  struct Failure: Error {
    let code: Int32
    let message: String

    init(_ code: Int32, _ message: UnsafePointer<CChar>? = nil) {
      self.code = code
      self.message =
        (message ?? sqlite3_errstr(code)).map { String(cString: $0) } ?? "unknown error"
    }
  }

  /// The oldest version of SQLite that Varve is tested with.
  private static let oldestVersion: (number: Int32, name: String) = (3_040_000, "3.40")

  /// Opens a database, which is created if it is missing and may be written.
  ///
  /// - Parameters:
  ///   - path: the file, or the name of another database, as SQLite takes it.
  ///   - name: the name that has the key, and the place for errors.
  ///   - isReadOnly: whether the connection only reads. It waits up to 5 seconds while another
  ///     connection creates the database, or recovers it after a crash; a writer does not wait.
  init(opening path: String, of name: DatabaseName, isReadOnly: Bool) throws {
    guard sqlite3_libversion_number() >= Self.oldestVersion.number else {
      throw VarveError(
        .unsupported,
        "SQLite \(String(cString: sqlite3_libversion())) is too old",
        at: path,
        remedy: "Link SQLite \(Self.oldestVersion.name) or newer."
      )
    }
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    // No mutex: the holder of the connection's session uses it alone.
    let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      // SQLite gives a handle that must be closed even where it could not open the database.
      sqlite3_close(handle)
      throw Failure(code)
    }
    pointer = handle
    do {
      if isReadOnly { sqlite3_busy_timeout(handle, 5_000) }
      if let key = name.key { try Encryption.unlock(handle, key, at: name.place) }
      // A file that is no database is recognised only when it is read.
      try check(sqlite3_exec(handle, "SELECT * FROM sqlite_master LIMIT 1", nil, nil, nil))
    } catch {
      sqlite3_close(handle)
      throw error
    }
  }

  /// Closes the database. All its statements must be finalized.
  func close() throws { try check(sqlite3_close(pointer)) }

  /// Closes the database when the last of its statements is finalized.
  func closeLater() { sqlite3_close_v2(pointer) }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw Failure(code, sqlite3_errmsg(pointer)) }
  }
}
