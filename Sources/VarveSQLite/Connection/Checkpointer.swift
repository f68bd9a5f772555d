import Foundation
import SQLiteLibrary
import Synchronization
import VarveCore

/// Moves the write-ahead log into the database, one process at a time.
///
/// SQLite before 3.51.3 can lose writes when connections checkpoint and reset the log at once, so a
/// process checkpoints only while it holds an advisory lock on the log's file. SQLite holds no
/// locks on that file that closing it would release, and the file is not replaced while any
/// connection is open. A store in memory has no other process.
final class Checkpointer: Sendable {
  /// The file; nil in memory.
  private let path: String?
  private let progress = Mutex(Progress())

  /// The number of log pages that makes a checkpoint due.
  static let pageThreshold = 4_000
  /// The number of further log pages before the next attempt if a reader or another process kept
  /// the log from restarting.
  private static let pageStep = 1_000

  private struct Progress {
    /// The number of log pages at the next attempt.
    var due = Checkpointer.pageThreshold
    var last = 0
  }

  init(path: String?) { self.path = path }

  /// Checkpoints if due. Call it after a commit.
  func checkpointIfDue(_ connection: Connection) {
    let pageCount = connection.logPageCount
    let isDue = progress.withLock { progress in
      if pageCount < progress.last { progress.due = Self.pageThreshold }
      progress.last = pageCount
      guard pageCount >= progress.due else { return false }
      progress.due = pageCount + Self.pageStep
      return true
    }
    guard isDue else { return }
    // What the log of a file takes is used again; in memory it is given back.
    let mode = path == nil ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    withLock { checkpoint(connection, mode) }
  }

  /// The number of log pages that are worth a checkpoint before the connections are closed, because
  /// the next one reads the whole log.
  private static let idlePageThreshold = 500

  /// Checkpoints a log that is not short.
  func checkpointForIdling(_ connection: Connection) {
    guard connection.logPageCount > Self.idlePageThreshold else { return }
    withLock { checkpoint(connection, SQLITE_CHECKPOINT_PASSIVE) }
  }

  /// Empties the log and lets SQLite remove the companion files if this is the last connection.
  ///
  /// SQLite removes them under an exclusive lock on the store, so no connection is using the log
  /// meanwhile.
  func checkpointForClosing(_ connection: Connection) {
    // What is in memory ends with its last connection.
    guard path != nil else { return }
    withLock { checkpoint(connection, SQLITE_CHECKPOINT_TRUNCATE) }
    connection.cleansUpOnClosing(true)
  }

  /// Empties and removes the log of a file that has lost its name. SQLite leaves it there, beside a
  /// name that another file may have.
  func checkpointForLeaving(_ connection: Connection) {
    guard let path else { return }
    withLock {
      guard checkpoint(connection, SQLITE_CHECKPOINT_TRUNCATE) == SQLITE_OK else { return }
      for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    }
  }

  /// Moves a log that was removed while it was open into the database, because nobody will find it.
  func rescue(_ connection: Connection) { checkpoint(connection, SQLITE_CHECKPOINT_TRUNCATE) }

  /// Moves the whole log into the database and empties its file. Returns false if another
  /// connection prevents it for longer than `patience`.
  func truncate(_ connection: Connection, patience: Duration) -> Bool {
    let end = ContinuousClock.now + patience
    while true {
      var isDone = false
      withLock { isDone = checkpoint(connection, SQLITE_CHECKPOINT_TRUNCATE) == SQLITE_OK }
      if isDone || ContinuousClock.now >= end { return isDone }
      usleep(Self.pause)
    }
  }

  /// The microseconds between two attempts to empty the log.
  private static let pause: UInt32 = 5_000

  @discardableResult
  private func checkpoint(_ connection: Connection, _ mode: Int32) -> Int32 {
    sqlite3_wal_checkpoint_v2(connection.handle, nil, mode, nil, nil)
  }

  private func withLock(_ body: () -> Void) {
    guard let path else { return body() }
    let descriptor = open(path + "-wal", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { closeFile(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
    body()
    flock(descriptor, LOCK_UN)
  }
}

private func closeFile(_ descriptor: Int32) { _ = close(descriptor) }
