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

  /// Runs a body while no other process creates a space in the folder. Waiting suspends the task: the one
  /// that has the lock may need its thread.
  ///
  /// - Throws: `VarveError` with code `inputOutput` if the folder cannot be locked.
  static func holdForCreating<Result>(
    in folder: String,
    _ body: () async throws -> Result
  ) async throws -> Result {
    let lock = open("\(folder)/.creating", O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard lock >= 0 else { throw VarveError.system(errno, "no space can be created", at: folder) }
    defer { close(lock) }
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      guard [EWOULDBLOCK, EINTR].contains(errno) else {
        throw VarveError.system(errno, "no space can be created", at: folder)
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    return try await body()
  }
}
#endif
