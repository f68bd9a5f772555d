import CLogRecorder
import CVarveSQLite
import Foundation
import GRDBSQLite
import Testing
import VarveTestSupport

/// Plain SQLite over the VFS that joins writes, which is over a VFS that records them.
@Suite("Writes of a commit to the log", .serialized)
struct LogVFSTests {
  @Test("are one call for a few pages, and one for eight pages of a large commit")
  func counts() throws {
    let database = try RecordedDatabase(cachePageCount: 1_000)
    try database.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b); CREATE INDEX i ON t (b)")
    for (count, pages, calls) in [(1, 2, 1), (1, 2, 1), (200, nil, nil)] as [(Int, Int?, Int?)] {
      let before = database.committedFrames
      log_recorder_reset(-1)
      #expect(try database.write { try $0.insert(count, size: 400) } == SQLITE_OK)
      let frames = database.committedFrames - before
      let writes = Int(log_recorder_record().writes)
      if let pages { #expect(frames == pages) }
      #expect(writes == calls ?? (frames + 7) / 8, "\(frames) frames")
      #expect(log_recorder_record().syncs == 0)
    }
  }

  @Test(
    "are in the log before the commit is shown, whatever came before",
    arguments: 0..<24 as Range<UInt64>
  )
  func order(seed: UInt64) throws {
    // The sizes of pages, the largest of which are not joined.
    let pageSize = [512, 1_024, 4_096, 8_192, 32_768, 65_536][Int(seed % 6)]
    let database = try RecordedDatabase(pageSize: pageSize, synchronizes: seed % 4 == 3)
    let trial = try LogTrial(database, seed: seed)
    for _ in 0..<60 { try trial.step() }
    #expect(trial.failureCount > 0)
    #expect(trial.publicationCount > 20)
    #expect(trial.violationCount == 0)
    try trial.expectWhole()
  }

  @Test("fail the commit if the disk is full, and leave what was before")
  func full() throws {
    let database = try RecordedDatabase(cachePageCount: 1_000)
    try database.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b)")
    #expect(try database.write { try $0.insert(3, size: 400) } == SQLITE_OK)
    for size in [1, 40, 400] {
      for failure in 0..<3 {
        let (frames, count) = (database.committedFrames, try database.count())
        log_recorder_reset(Int32(failure))
        let code = try database.write { try $0.insert(size, size: 400) }
        let record = log_recorder_record()
        log_recorder_reset(-1)
        #expect((code == SQLITE_OK) == (record.failures == 0))
        #expect(record.violations == 0)
        guard code != SQLITE_OK else { continue }
        #expect(code == SQLITE_FULL)
        #expect(record.publications == 0)
        #expect(database.committedFrames == frames)
        #expect(try database.count() == count)
      }
    }
    #expect(try database.write { try $0.insert(1, size: 400) } == SQLITE_OK)
    #expect(try database.integrity() == "ok")
  }

  @Test("are written at once if they come in an order that SQLite does not use")
  func otherOrders() throws {
    let page = [UInt8](repeating: 7, count: 4_096)
    let (header, last) = (Self.header(marker: 0), Self.header(marker: 9))
    typealias Write = (bytes: [UInt8], offset: Int64)
    let first: Int64 = 32 + 40 * 4_120
    let orders: [[Write]] = [
      [(page, first + 24), (last, first)],
      [(last + page, first)],
      [(Array(last[..<8]), first), (Array(last[8...]), first + 8), (page, first + 24)],
      [(last, first), (Array(page[..<1_000]), first + 24), (Array(page[1_000...]), first + 1_024)],
      [(last, first), (Array(page[..<512]), first + 24), (Array(page[512...]), first + 536)],
      [(header, first), (page, first + 24), (last, first)],
      [(header, first), (page, first + 24), (page, first + 4_144), (last, first + 4_120)],
      [(last, first), (page, first + 4_144)],
    ]
    for order in orders {
      let database = try RecordedDatabase()
      try database.execute("CREATE TABLE t (a)")
      let file = try database.log()
      varve_log_begin_joining(database.connection)
      for (bytes, offset) in order {
        #expect(file.pointee.pMethods.pointee.xWrite(file, bytes, Int32(bytes.count), offset) == 0)
      }
      // Read from the file, past what is held back.
      let stored = try Data(contentsOf: URL(fileURLWithPath: database.path + "-wal"))
      for (bytes, offset) in order where order.last.map({ $0.offset != offset }) ?? true {
        let start = Int(offset)
        try #require(stored.count >= start + bytes.count)
        #expect(stored[start..<start + bytes.count].elementsEqual(bytes))
      }
      let end = try #require(order.last)
      #expect(stored.dropFirst(Int(end.offset)).prefix(end.bytes.count).elementsEqual(end.bytes))
      varve_log_end_joining(database.connection)
    }
  }

  @Test("are written by every other method of the file first")
  func otherMethods() throws {
    let header = Self.header(marker: 0)
    let offset: Int64 = 32 + 40 * 4_120
    for method in LogMethod.allCases {
      let database = try RecordedDatabase()
      try database.execute("CREATE TABLE t (a)")
      varve_log_begin_joining(database.connection)
      let file = try database.log()
      log_recorder_reset(-1)
      #expect(file.pointee.pMethods.pointee.xWrite(file, header, 24, offset) == 0)
      #expect(log_recorder_record().writes == 0)
      method.call(file)
      #expect(log_recorder_record().writes == 1, "\(method)")
      varve_log_end_joining(database.connection)
      // Between commits nothing is held back.
      #expect(file.pointee.pMethods.pointee.xWrite(file, header, 24, offset) == 0)
      #expect(log_recorder_record().writes == 2)
    }
  }

  private static func header(marker: UInt8) -> [UInt8] {
    [0, 0, 0, 1, 0, 0, 0, marker] + [UInt8](repeating: 3, count: 16)
  }
}

/// A method of a log's file.
private enum LogMethod: CaseIterable {
  case read, synchronize, size, truncate, control, lock, unlock

  func call(_ file: UnsafeMutablePointer<sqlite3_file>) {
    let methods = file.pointee.pMethods.pointee
    var size: sqlite3_int64 = 0
    var byte: UInt8 = 0
    switch self {
    case .read: _ = methods.xRead(file, &byte, 1, 0)
    case .synchronize: _ = methods.xSync(file, SQLITE_SYNC_NORMAL)
    case .size: _ = methods.xFileSize(file, &size)
    case .truncate: _ = methods.xTruncate(file, 1 << 20)
    case .control: _ = methods.xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &size)
    case .lock: _ = methods.xLock(file, SQLITE_LOCK_NONE)
    case .unlock: _ = methods.xUnlock(file, SQLITE_LOCK_NONE)
    }
  }
}
