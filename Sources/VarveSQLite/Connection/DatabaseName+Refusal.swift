import Foundation
import SQLiteLibrary
import VarveCore

extension DatabaseName {
  /// Returns the name under which a connection that only reads opens the database.
  ///
  /// SQLite makes the files beside a store if they are missing, also for a user who may not write to
  /// the store. They would belong to that user, and lock the owner out.
  func forReading(_ still: StillFile?) -> DatabaseName {
    guard isStore, !StoreFile.isWritable(StoreFile.resolved(path)) else { return self }
    return reading(isAlone: still != nil)
  }

  /// The error that says why this user may not write to a store's file; nil if they may.
  var refusalToWrite: VarveError? {
    guard StoreFile.writingError(StoreFile.resolved(path)) != nil else { return nil }
    return refusal(SQLITE_READONLY, isReadOnly: false)
  }

  /// Returns the error that says which file of a store, or which folder, this user may not write to,
  /// if that may be why SQLite refused to open or to write.
  ///
  /// - Parameters:
  ///   - primaryCode: SQLite's code.
  ///   - isReadOnly: whether the connection only reads.
  func refusal(_ primaryCode: Int32, isReadOnly: Bool) -> VarveError? {
    guard isStore, [SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM].contains(primaryCode) else {
      return nil
    }
    let resolved = StoreFile.resolved(path)
    if isReadOnly, access(resolved + "-wal", F_OK) == 0, access(resolved + "-shm", F_OK) != 0 {
      return VarveError(
        .readOnly,
        "the store's write-ahead log holds commits, and its index cannot be made here",
        at: place,
        remedy:
          "Copy the store, with its -wal file, to a folder that is writable, or have its owner "
          + "open it once."
      )
    }
    let files = [
      (resolved, "the store's file"), (resolved + "-wal", "the store's write-ahead log"),
      (resolved + "-shm", "the index of the store's write-ahead log"),
    ]
    for (file, what) in files {
      guard let reason = StoreFile.writingError(file) else { continue }
      if reason == EROFS { return Self.readOnlySystem(place) }
      return VarveError(
        .readOnly,
        "\(what) is not writable",
        at: file == resolved ? place : file,
        remedy: file == resolved
          ? "Make the file and its folder writable, or copy the store."
          : "Have its owner close the store, or make the file writable; or copy the store with it."
      )
    }
    let folder = URL(fileURLWithPath: resolved).deletingLastPathComponent().path
    guard let reason = StoreFile.writingError(folder) else { return nil }
    if reason == EROFS { return Self.readOnlySystem(place) }
    return VarveError(
      .readOnly,
      "the store's folder is not writable, and the store needs files beside it",
      at: place,
      remedy: "Make the folder writable, or copy the store, with its -wal file if there is one, to "
        + "a folder that is."
    )
  }

  /// Removes an empty log that SQLite made for a connection that only reads. Returns whether it did.
  ///
  /// SQLite makes one if the last writer removes its own at that moment.
  func removeOwnLog() -> Bool {
    let log = StoreFile.resolved(path) + "-wal"
    guard isStore, !StoreFile.isWritable(StoreFile.resolved(path)), let status = FileStatus(log),
      status.byteCount == 0, status.user == geteuid()
    else { return false }
    return unlink(log) == 0
  }

  /// Returns the error of a file that could not be opened, as ``refusal(_:isReadOnly:)``.
  func refusal(of error: any Error, isReadOnly: Bool) -> VarveError? {
    (error as? DatabaseHandle.Failure).flatMap { refusal($0.code & 0xFF, isReadOnly: isReadOnly) }
  }

  private static func readOnlySystem(_ place: String) -> VarveError {
    VarveError(
      .readOnly,
      "the store's file system is read-only",
      at: place,
      remedy:
        "Copy the store, with its -wal file if there is one, to a file system that is writable."
    )
  }
}
