import Foundation

/// What SQLite opens: a file, or a database in memory that several connections of this process
/// share.
struct DatabaseName: Hashable, Sendable {
  /// As SQLite takes it.
  let path: String
  /// As people know it.
  let place: String
  let isFile: Bool

  /// The database in a file.
  static func file(_ path: String) -> DatabaseName {
    // SQLite reads a name that begins so as an address.
    DatabaseName(path: path.hasPrefix("file:") ? "./" + path : path, place: path, isFile: true)
  }

  /// A fresh database in memory. It lives as long as a connection to it is open.
  ///
  /// Source: SQLite's `memdb` VFS (3.36 and later). Names that begin with a slash are shared;
  /// connections lock it as they would a file without a write-ahead log.
  static func memory() -> DatabaseName {
    DatabaseName(
      path: "file:/varve-\(UUID().uuidString)?vfs=memdb",
      place: "memory",
      isFile: false
    )
  }
}
