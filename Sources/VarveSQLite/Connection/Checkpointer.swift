import Foundation
import GRDBSQLite
import Synchronization
import VarveCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Moves the write-ahead log into the database, one process at a time.
///
/// SQLite before 3.51.3 can lose writes when connections checkpoint and reset the log at once, so a
/// process checkpoints only while it holds an advisory lock on the log's file. SQLite holds no locks on
/// that file, which closing it would drop, and it stays the same file while anybody is connected.
final class Checkpointer: Sendable {
  private let path: String
  private let progress = Mutex(Progress())

  /// Pages in the log from which on it is checkpointed.
  static let pageThreshold = 4_000
  /// Pages to wait for where readers, or another process, kept the log from starting again.
  private static let pageStep = 1_000

  private struct Progress {
    /// Pages in the log from which on it is tried next.
    var due = Checkpointer.pageThreshold
    var last = 0
  }

  init(path: String) { self.path = path }

  /// Checkpoints from time to time. Call after a commit.
  func checkpointIfDue(_ connection: Connection) {
    let pageCount = connection.logPageCount
    let isDue = progress.withLock { progress in
      if pageCount < progress.last { progress.due = Self.pageThreshold }
      progress.last = pageCount
      guard pageCount >= progress.due else { return false }
      progress.due = pageCount + Self.pageStep
      return true
    }
    if isDue { withLock { checkpoint(connection, SQLITE_CHECKPOINT_PASSIVE) } }
  }

  /// Empties the log for who stays, and leaves it to SQLite to take the files beside the store's away
  /// where nobody does. It does so under an exclusive lock on the store, so that nobody can be in the
  /// log meanwhile.
  func checkpointForClosing(_ connection: Connection) {
    withLock { checkpoint(connection, SQLITE_CHECKPOINT_TRUNCATE) }
    connection.cleansUpOnClosing(true)
  }

  /// Moves all of the log into the database and empties its file; false where somebody is in the way.
  func truncate(_ connection: Connection) -> Bool {
    var isDone = false
    withLock { isDone = checkpoint(connection, SQLITE_CHECKPOINT_TRUNCATE) == SQLITE_OK }
    return isDone
  }

  @discardableResult
  private func checkpoint(_ connection: Connection, _ mode: Int32) -> Int32 {
    sqlite3_wal_checkpoint_v2(connection.handle, nil, mode, nil, nil)
  }

  private func withLock(_ body: () -> Void) {
    let descriptor = open(path + "-wal", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { closeFile(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
    body()
    flock(descriptor, LOCK_UN)
  }
}

private func closeFile(_ descriptor: Int32) { _ = close(descriptor) }
