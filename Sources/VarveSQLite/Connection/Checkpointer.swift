import Foundation
import GRDBSQLite
import VarveCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Moves the write-ahead log into the database, one process at a time.
///
/// SQLite before 3.51.3 can lose writes when connections checkpoint and reset the log at once, so a
/// process checkpoints only while it holds an advisory lock on a file beside the database.
final class Checkpointer: Sendable {
  private let path: String

  /// Pages in the log from which on it is checkpointed.
  private static let pageThreshold = 4_000

  init(path: String) { self.path = path }

  func checkpointIfDue(_ connection: Connection) throws {
    guard connection.logPageCount > Self.pageThreshold else { return }
    withLock { checkpoint(connection, SQLITE_CHECKPOINT_PASSIVE) }
  }

  func checkpointForClosing(_ connection: Connection) {
    withLock { checkpoint(connection, SQLITE_CHECKPOINT_TRUNCATE) }
  }

  private func checkpoint(_ connection: Connection, _ mode: Int32) {
    sqlite3_wal_checkpoint_v2(connection.handle, nil, mode, nil, nil)
  }

  private func withLock(_ body: () -> Void) {
    let descriptor = open(path + "-checkpoint", O_CREAT | O_RDWR | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return }
    defer { _ = close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
    body()
    flock(descriptor, LOCK_UN)
  }
}
