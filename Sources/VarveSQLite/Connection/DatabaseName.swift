import CVarveSQLite
import Foundation

/// The name of a database: a file, or an in-memory database that several connections of this
/// process share.
struct DatabaseName: Hashable, Sendable {
  /// The name as SQLite reads it.
  let path: String
  /// The name as shown to users.
  let place: String
  let isFile: Bool

  /// Returns the name of the database in a file.
  static func file(_ path: String) -> DatabaseName {
    // SQLite would read a name with this prefix as a URI.
    DatabaseName(path: path.hasPrefix("file:") ? "./" + path : path, place: path, isFile: true)
  }

  /// Returns the name of a new in-memory database. It lives as long as a connection to it is open.
  ///
  /// SQLite's own `memdb` has no write-ahead log, so its readers and its writer exclude each other.
  /// The files of `varve-memory` have one.
  static func memory() -> DatabaseName {
    precondition(isMemoryRegistered, "SQLite accepts the file system of stores in memory")
    return DatabaseName(
      path: "file:/varve-\(UUID().uuidString)?vfs=varve-memory",
      place: "memory",
      isFile: false
    )
  }

  private static let isMemoryRegistered = varve_register_memory() == 0
}
