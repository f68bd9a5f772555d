import Foundation
import SQLiteLibrary
import VarveCore

/// Examines the name of a database that is going to be created.
package enum NewFileName {
  /// Throws if a database cannot have a name, or would be lost under it.
  ///
  /// - Throws: ``VarveError`` with code `invalidArgument`.
  package static func examine(_ path: String, at place: String) throws {
    guard !path.hasSuffix("/") else {
      throw VarveError(
        .invalidArgument,
        "the path ends in a slash, as that of a folder",
        at: place,
        remedy: "Name a file."
      )
    }
    try StoreFileNames.requireOwnName(path, at: place)
    try requireRoom(path, at: place)
  }

  /// Throws if the name, or a whole path, leaves no room for the suffixes of the files beside it.
  private static func requireRoom(_ path: String, at place: String) throws {
    let url = URL(fileURLWithPath: path)
    let suffix = StoreFileNames.companions.map(\.utf8.count).max() ?? 0
    let most = pathconf(url.deletingLastPathComponent().path, Int32(_PC_NAME_MAX))
    if most > suffix, url.lastPathComponent.utf8.count > most - suffix {
      throw tooLong("name", most - suffix, at: place)
    }
    try requireShortPath(path, at: place)
  }

  /// Throws if SQLite takes no path as long as that of a file.
  static func requireShortPath(_ path: String, at place: String) throws {
    let suffix = StoreFileNames.companions.map(\.utf8.count).max() ?? 0
    guard let most = sqlite3_vfs_find(nil)?.pointee.mxPathname else { return }
    let room = Int(most) - suffix
    if DatabaseName.file(path).path.utf8.count > room { throw tooLong("path", room, at: place) }
  }

  private static func tooLong(_ what: String, _ room: Int, at place: String) -> VarveError {
    VarveError(
      .invalidArgument,
      "the \(what) of the file is too long: SQLite keeps files beside it whose names are longer",
      at: place,
      remedy: "Choose a \(what) of at most \(room) bytes."
    )
  }
}
