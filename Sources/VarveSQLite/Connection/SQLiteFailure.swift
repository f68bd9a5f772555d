import GRDB
import GRDBSQLite
import VarveCore

/// SQLite's result codes as errors people can act on.
enum SQLiteFailure {
  /// The error for a result code, with the connection's message.
  static func error(_ code: Int32, _ message: String, at place: String) -> VarveError {
    let (kind, remedy): (VarveError.Code, String?) =
      switch code & 0xFF {
      case SQLITE_BUSY, SQLITE_LOCKED:
        (.busy, "Try again, or allow the writer more patience.")
      case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
        (.readOnly, "Make the file and its folder writable, or open the store read-only.")
      case SQLITE_FULL: (.diskFull, "Free some space; nothing of this transaction was kept.")
      case SQLITE_CORRUPT:
        (.damaged, "Restore the file from a copy, or merge from another replica.")
      case SQLITE_NOTADB: (.notAStore, "Name a file that `varve init` made.")
      case SQLITE_TOOBIG: (.valueTooLarge, "Split the value.")
      case SQLITE_CANTOPEN:
        (.inputOutput, "Check that the folder exists and may be read and written.")
      default: (.inputOutput, "Check the disk and the file's permissions.")
      }
    return VarveError(kind, "SQLite: \(message) (code \(code))", at: place, remedy: remedy)
  }

  /// The error for one GRDB threw.
  static func error(_ error: any Error, at place: String) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    return Self.error(
      error.extendedResultCode.rawValue,
      error.message ?? "unknown error",
      at: place
    )
  }
}
