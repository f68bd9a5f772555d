import SQLiteLibrary
import VarveCore

/// A copy of a database to another connection, in the state that the first one reads.
///
/// The read transaction of the first connection must stay open until the copy ends. Other
/// connections may write meanwhile, and the copy does not contain what they write.
struct DatabaseCopy: ~Copyable {
  private let backup: OpaquePointer
  private let target: Connection

  init(from source: Connection, to target: Connection) throws {
    guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
      throw target.failure(sqlite3_errcode(target.handle))
    }
    self.backup = backup
    self.target = target
  }

  deinit { sqlite3_backup_finish(backup) }

  /// The number of pages of the database, once a step was taken.
  var pageCount: Int { Int(sqlite3_backup_pagecount(backup)) }

  /// The number of pages that are not copied yet, once a step was taken.
  var remainingCount: Int { Int(sqlite3_backup_remaining(backup)) }

  /// Copies some pages, or all the rest. Returns whether more are left.
  func step(pages: Int32 = -1) throws -> Bool {
    let code = sqlite3_backup_step(backup, pages)
    switch code {
    case SQLITE_OK: return true
    case SQLITE_DONE: return false
    default: throw target.failure(code)
    }
  }
}
