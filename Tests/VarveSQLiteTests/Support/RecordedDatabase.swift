import CLogRecorder
import CVarveSQLite
import Foundation
import GRDBSQLite
import Testing
import VarveTestSupport

/// A database of plain SQLite whose commits are joined and recorded. Tests that use it are serialized,
/// because there is one record.
final class RecordedDatabase {
  let path: String
  private let scratch: Scratch
  private let handle: OpaquePointer
  private let pageSize: Int
  var connection: UnsafeMutableRawPointer { UnsafeMutableRawPointer(handle) }

  private static let isRegistered =
    log_recorder_register("recorder") == SQLITE_OK
    && varve_log_vfs_register("joiner", "recorder") == SQLITE_OK

  /// Opens a new database. A small cache makes SQLite write pages before they are committed.
  convenience init(
    pageSize: Int = 4_096,
    cachePageCount: Int = 12,
    synchronizes: Bool = false
  ) throws {
    try self.init(Scratch(), pageSize: pageSize, synchronizes: synchronizes)
    try execute("PRAGMA cache_size = \(cachePageCount)")
  }

  /// Opens another connection to a database.
  convenience init(beside other: RecordedDatabase) throws {
    try self.init(other.scratch, pageSize: other.pageSize, synchronizes: false)
  }

  private init(_ scratch: Scratch, pageSize: Int, synchronizes: Bool) throws {
    try #require(Self.isRegistered)
    (self.scratch, self.pageSize) = (scratch, pageSize)
    path = scratch.path("database")
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &handle, flags, "joiner")
    self.handle = try #require(handle)
    try #require(code == SQLITE_OK)
    try execute(
      """
      PRAGMA page_size = \(pageSize); PRAGMA journal_mode = WAL; PRAGMA cache_size = 12;
      PRAGMA synchronous = \(synchronizes ? "FULL" : "NORMAL"); PRAGMA wal_autocheckpoint = 0
      """
    )
  }

  deinit { sqlite3_close(handle) }

  func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw SQLiteCode(code: code) }
  }

  func insert(_ count: Int, size: Int) throws {
    try execute(
      """
      WITH RECURSIVE n (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < \(count))
      INSERT INTO t (b) SELECT randomblob(\(size)) FROM n
      """
    )
  }

  /// Writes in a transaction, and commits it as Varve does. Returns the code of the commit.
  func write(_ body: (RecordedDatabase) throws -> Void) throws -> Int32 {
    try execute("BEGIN IMMEDIATE")
    try body(self)
    varve_log_begin_joining(connection)
    let code = sqlite3_exec(handle, "COMMIT", nil, nil, nil)
    varve_log_end_joining(connection)
    if sqlite3_get_autocommit(handle) == 0 { try execute("ROLLBACK") }
    return code
  }

  func count() throws -> Int { try #require(Int(text("SELECT count(*) FROM t"))) }

  func integrity() throws -> String { try text("PRAGMA integrity_check") }

  /// A text that two databases share if they have the same rows.
  func sum() throws -> String {
    try text("SELECT count(*) || ' ' || total(a) || ' ' || total(length(b)) FROM t")
  }

  private func text(_ sql: String) throws -> String {
    var statement: OpaquePointer?
    sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    try #require(sqlite3_step(statement) == SQLITE_ROW)
    return String(cString: try #require(sqlite3_column_text(statement, 0)))
  }

  /// The frames of whole commits in the log's file.
  var committedFrames: Int { Int(log_recorder_committed_frames(path + "-wal")) }

  /// The log's file.
  func log() throws -> UnsafeMutablePointer<sqlite3_file> {
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
    return try #require(file)
  }

  /// Returns what the files would be if the process ended now.
  func crashed() throws -> RecordedDatabase {
    let other = try Scratch()
    for suffix in ["", "-wal"] {
      let target = other.path("database") + suffix
      try FileManager.default.copyItem(atPath: path + suffix, toPath: target)
    }
    return try RecordedDatabase(other, pageSize: pageSize, synchronizes: false)
  }
}

struct SQLiteCode: Error {
  let code: Int32
}
