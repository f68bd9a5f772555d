import Foundation
import SQLiteLibrary
package import VarveCore

/// Converts SQLite's result codes to errors that a user can act on.
package enum SQLiteFailure {
  /// The author of the statement that failed.
  package enum Author: Sendable {
    /// Varve wrote the statement, so the file caused the error.
    case varve
    /// The caller of a query wrote it.
    case user
  }

  /// Returns the error for a result code, with the connection's message.
  ///
  /// - Parameter systemError: the operating system's last error (`errno`), if it caused the
  ///   failure.
  package static func error(
    _ code: Int32,
    _ message: String,
    at place: String,
    systemError: Int32 = 0,
    by author: Author = .varve
  ) -> VarveError {
    let primary = code & 0xFF
    if message.hasPrefix(SQLFunctions.tooLarge) {
      return VarveError(
        .valueTooLarge,
        String(message.dropFirst(SQLFunctions.tooLarge.count)),
        at: place,
        remedy: Aggregation.tooLarge.remedy
      )
    }
    if primary == SQLITE_READONLY { return readOnly(code, at: place) }
    if author == .user, isOfQueries(primary) { return query(message, at: place) }
    var (kind, remedy) = meaning(of: primary, systemError)
    if place == DatabaseName.temporaryPlace { remedy = VarveError.temporaryFileRemedy }
    return VarveError(kind, "SQLite: \(message) (code \(code))", at: place, remedy: remedy)
  }

  /// Returns the error that SQLite reports for the caller's SQL, or for a query compiled to SQL.
  static func query(_ message: String, at place: String) -> VarveError {
    if message.contains("parser stack overflow") {
      return VarveError(
        .invalidQuery,
        "the query is nested too deeply for SQLite",
        at: place,
        remedy: "Nest conditions and relations less deeply."
      )
    }
    return VarveError(
      .invalidQuery,
      "the query cannot be run: SQLite: \(message)",
      at: place,
      remedy:
        "Check custom SQL; nest conditions less deeply, or fetch less at a time."
    )
  }

  /// Returns whether the text of a reading statement can cause a result code.
  private static func isOfQueries(_ primary: Int32) -> Bool {
    [SQLITE_ERROR, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE, SQLITE_AUTH].contains(primary)
  }

  private static func meaning(
    of primary: Int32,
    _ systemError: Int32
  ) -> (VarveError.Code, remedy: String) {
    switch primary {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL, SQLITE_SCHEMA:
      (.busy, "Try again when the other connection has finished.")
    case SQLITE_PERM, SQLITE_AUTH: (.readOnly, "Make the file and its folder writable.")
    case SQLITE_FULL, SQLITE_NOLFS: full
    case SQLITE_IOERR where isFull(systemError), SQLITE_CANTOPEN where isFull(systemError): full
    case SQLITE_CANTOPEN where [EROFS, EACCES, EPERM].contains(systemError):
      (.readOnly, "Make the folder writable, or name a file in another.")
    case SQLITE_CORRUPT:
      (.damaged, "Restore the file from a copy, or merge from another replica.")
    case SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_FORMAT:
      (.damaged, "Run check, and rebuild; or restore the file from a copy.")
    case SQLITE_NOTADB: (.notAStore, "Name the file of a store.")
    case SQLITE_TOOBIG: (.valueTooLarge, "Split the value.")
    case SQLITE_INTERRUPT: (.cancelled, "Try again.")
    case SQLITE_NOMEM: (.inputOutput, "Free some memory, or write less at a time.")
    case SQLITE_CANTOPEN:
      (.inputOutput, "Check that the folder exists and is readable and writable.")
    default: (.inputOutput, "Check the disk and the file's permissions.")
    }
  }

  private static let full: (VarveError.Code, remedy: String) = (
    .diskFull, "Free some space, or raise the limit. The transaction was rolled back."
  )

  /// Returns whether the system refused to extend a file: no space, a quota, or a limit of the
  /// process.
  private static func isFull(_ systemError: Int32) -> Bool {
    [ENOSPC, EDQUOT, EFBIG].contains(systemError)
  }

  /// Returns the error for a file or a folder that is not writable.
  private static func readOnly(_ code: Int32, at place: String) -> VarveError {
    if code == fileReplaced { return StoreFile.replaced(at: place) }
    guard code != SQLITE_READONLY else {
      return VarveError(
        .readOnly,
        "the store's file is not writable",
        at: place,
        remedy: "Make the file and its folder writable, or copy the store."
      )
    }
    return VarveError(
      .readOnly,
      "the store's folder is not writable, and reading a store needs companion files",
      at: place,
      remedy: "Make the folder writable, or copy the store, with its -wal file if there is one, to "
        + "a folder that is."
    )
  }

  /// `SQLITE_READONLY_DBMOVED`, a macro too complex to be imported.
  private static let fileReplaced = SQLITE_READONLY | 4 << 8

  /// Converts an error of opening or closing a database.
  static func error(_ error: any Error, at place: String) -> any Error {
    guard let error = error as? DatabaseHandle.Failure else { return error }
    return Self.error(error.code, error.message, at: place)
  }
}
