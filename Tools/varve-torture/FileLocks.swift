import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Looks at the locks of other processes.
enum FileLocks {
  /// The place in a database file where SQLite keeps the shared locks of connections.
  private static let sharedLockStart: off_t = 0x4000_0002
  private static let sharedLockCount: off_t = 510

  /// Prints whether another process has the database open, according to its locks.
  static func run(_ path: String) throws {
    let descriptor = open(path, O_RDWR)
    guard descriptor >= 0 else { return Report.line("no file") }
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = sharedLockStart
    lock.l_len = sharedLockCount
    _ = fcntl(descriptor, F_GETLK, &lock)
    Report.line(lock.l_type == Int16(F_UNLCK) ? "free" : "locked")
  }
}
