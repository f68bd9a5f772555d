import Foundation

/// The state of a store's file that this user may only read, and that nobody has open for writing.
///
/// SQLite would make files beside it that belong to this user, and the owner could not write to them.
/// So it reads the file alone, and makes none. If the file changes during a read, what was read is
/// not one state.
struct StillFile: Equatable, Sendable {
  private let identity: FileIdentity
  private let byteCount: Int64
  /// Nanoseconds since 1970.
  private let modified: Int64

  /// The time within which a file system may give two changes one date.
  private static let tick = 20_000_000 as Int64

  /// Returns the state of a file; nil if SQLite opens its write-ahead log as usual.
  init?(_ name: DatabaseName) {
    guard name.isStore else { return nil }
    let path = StoreFile.resolved(name.path)
    guard access(path, F_OK) == 0, !StoreFile.isWritable(path) else { return nil }
    let log = FileStatus(path + "-wal")
    // Whoever has the store open made both files.
    if let log, log.byteCount > 0 || FileStatus(path + "-shm") != nil { return nil }
    guard var status = FileStatus(path) else { return nil }
    if Self.now - status.modified < Self.tick {
      Thread.sleep(forTimeInterval: Double(Self.tick) / 1_000_000_000)
      guard let later = FileStatus(path) else { return nil }
      status = later
    }
    (identity, byteCount, modified) = (status.identity, status.byteCount, status.modified)
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let (nanoseconds, _) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    return nanoseconds &+ Int64(time.tv_nsec)
  }
}

/// The system's status of a file.
struct FileStatus {
  let identity: FileIdentity
  let byteCount: Int64
  /// Nanoseconds since 1970.
  let modified: Int64
  let user: uid_t
  let group: gid_t

  /// Returns the status of the file at a path, following links; nil if there is none.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    identity = FileIdentity(status)
    byteCount = Int64(status.st_size)
    (user, group) = (status.st_uid, status.st_gid)
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
