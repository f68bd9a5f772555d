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
  /// Source: SQLite's `memdb` VFS (3.36 and later). Names that begin with a slash are shared;
  /// connections lock the database like a file without a write-ahead log.
  static func memory() -> DatabaseName {
    DatabaseName(
      path: "file:/varve-\(UUID().uuidString)?vfs=memdb",
      place: "memory",
      isFile: false
    )
  }
}
