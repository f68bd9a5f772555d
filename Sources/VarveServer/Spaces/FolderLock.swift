#if Server
import Foundation
import VarveCore

/// A lock between the processes that change files of a folder. What holds it does nothing that
/// waits.
enum FolderLock {
  /// Runs a body while no other process changes files of the folder.
  ///
  /// - Parameter what: what is changed, for the error.
  /// - Throws: `VarveError` with code `inputOutput` if the folder cannot be locked.
  static func hold<Result>(
    _ folder: String,
    toChange what: String,
    _ body: () throws -> Result
  ) throws -> Result {
    let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if lock >= 0 { close(lock) } }
    guard lock >= 0, flock(lock, LOCK_EX) == 0 else {
      throw VarveError(
        .inputOutput,
        "\(what) cannot be changed",
        at: folder,
        remedy: "Check the folder and its permissions."
      )
    }
    return try body()
  }
}
#endif
