import CVarveSQLite
import Foundation
import VarveCore

/// The name of a database: a file, or an in-memory database that several connections of this
/// process share.
package struct DatabaseName: Hashable, Sendable {
  /// The name as SQLite reads it.
  let path: String
  /// The name as shown to users.
  let place: String
  let isFile: Bool
  /// The key of an encrypted file; nil for a plain one.
  var key: FileKey?

  /// Whether the file has a name, and so may be a store. With an empty name, SQLite creates a
  /// private file that is deleted with the connection or the process.
  var isStore: Bool { isFile && !path.isEmpty }

  /// Returns the path of a file as SQLite takes it: absolute, because SQLite reads a name that
  /// begins with `file:` as a URI, and `:memory:` as no file.
  package static func literal(_ path: String) -> String {
    let isWhole = path.isEmpty || path.hasPrefix("/")
    return isWhole ? path : FileManager.default.currentDirectoryPath + "/" + path
  }

  /// Returns the name of the database in a file.
  ///
  /// The path becomes absolute, because the process may change its folder.
  static func file(_ path: String, key: FileKey? = nil) -> DatabaseName {
    DatabaseName(
      path: literal(path),
      place: path,
      isFile: true,
      key: key
    )
  }

  /// The place of private files.
  static let temporaryPlace = "the folder of temporary files"

  /// Returns the name of a private file that is deleted with the connection or the process. For
  /// what is encrypted, it is encrypted with a key that nobody learns.
  var temporary: DatabaseName {
    DatabaseName(
      path: "",
      place: Self.temporaryPlace,
      isFile: true,
      key: key.map { _ in FileKey(.random()) }
    )
  }

  /// Returns the name under which SQLite reads the file and makes none beside it.
  ///
  /// - Parameter isAlone: whether it reads nothing beside it either, and takes no lock.
  func reading(isAlone: Bool) -> DatabaseName {
    let text = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    let option = isAlone ? "immutable" : "readonly_shm"
    return DatabaseName(path: "file://\(text)?\(option)=1", place: place, isFile: true, key: key)
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
