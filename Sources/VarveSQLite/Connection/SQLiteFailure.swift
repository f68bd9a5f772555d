import GRDB
import GRDBSQLite
import VarveCore

/// SQLite's result codes as errors people can act on.
enum SQLiteFailure {
  /// The error for a result code, with the connection's message.
  static func error(_ code: Int32, _ message: String, at place: String) -> VarveError {
    if code & 0xFF == SQLITE_READONLY { return readOnly(code, at: place) }
    let (kind, remedy): (VarveError.Code, String?) =
      switch code & 0xFF {
      case SQLITE_BUSY, SQLITE_LOCKED: (.busy, "Try again when the other has finished.")
      case SQLITE_PERM, SQLITE_AUTH: (.readOnly, "Make the file and its folder writable.")
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

  /// A file, or a folder, that may not be written to.
  private static func readOnly(_ code: Int32, at place: String) -> VarveError {
    let file: Set<Int32> = [SQLITE_READONLY, fileReplaced]
    guard !file.contains(code) else {
      return VarveError(
        .readOnly,
        "the store's file may not be written to",
        at: place,
        remedy: "Make the file and its folder writable, or copy the store."
      )
    }
    return VarveError(
      .readOnly,
      "the store's folder may not be written to, and to read a store needs files beside it",
      at: place,
      remedy: "Make the folder writable, or copy the store, with its -wal file if there is one, to "
        + "a folder that is."
    )
  }

  /// `SQLITE_READONLY_DBMOVED`, a macro too complex to be imported.
  private static let fileReplaced = SQLITE_READONLY | 4 << 8

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
