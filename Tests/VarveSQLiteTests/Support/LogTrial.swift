import CLogRecorder
import Testing
import VarveTestSupport

/// Random transactions of two connections: small and larger than the cache, with savepoints, rolled
/// back, on a full disk, and with checkpoints between them.
final class LogTrial {
  private let databases: [RecordedDatabase]
  private var random: SplitMix64
  private(set) var failureCount = 0
  private(set) var publicationCount = 0
  private(set) var violationCount = 0

  init(_ database: RecordedDatabase, seed: UInt64) throws {
    try database.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b); CREATE INDEX i ON t (b)")
    databases = [database, try RecordedDatabase(beside: database)]
    random = SplitMix64(seed: seed)
  }

  func step() throws {
    guard let database = databases.randomElement(using: &random) else { return }
    let fails = chance(6)
    log_recorder_reset(-1)
    if chance(9) {
      try database.execute("BEGIN IMMEDIATE")
      try change(database)
      try database.execute("ROLLBACK")
    } else {
      let failure = fails ? Int32(Int.random(in: 0..<3, using: &random)) : -1
      let code = try database.write {
        try change($0)
        count()
        log_recorder_reset(failure)
      }
      let isRefused = log_recorder_record().failures > 0
      #expect((code == 0) != isRefused, "code \(code)")
      if isRefused { failureCount += 1 }
    }
    count()
    log_recorder_reset(-1)
    if chance(8) { try checkpoint() }
    if chance(10) { try expectWhole() }
  }

  private func change(_ database: RecordedDatabase) throws {
    let size = chance(5) ? 200 : 1
    try database.insert(size, size: 60)
    guard chance(4) else { return }
    // As Varve does: SQLite 3.40.1 computes wrong checksums otherwise.
    try database.execute("PRAGMA cache_spill = 1000000000; SAVEPOINT s")
    try database.insert(size, size: 60)
    if chance(2) { try database.execute("ROLLBACK TO s") }
    try database.execute("RELEASE s; PRAGMA cache_spill = 1")
  }

  private func checkpoint() throws {
    let mode = ["PASSIVE", "RESTART", "TRUNCATE"].randomElement(using: &random) ?? "PASSIVE"
    try databases.randomElement(using: &random)?.execute("PRAGMA wal_checkpoint(\(mode))")
  }

  private func count() {
    let record = log_recorder_record()
    publicationCount += Int(record.publications)
    violationCount += Int(record.violations)
  }

  private func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  /// Compares what readers see with what is in the files.
  func expectWhole() throws {
    let sum = try databases[0].sum()
    #expect(try databases[1].sum() == sum)
    let copy = try databases[0].crashed()
    #expect(try copy.sum() == sum)
    #expect(try copy.integrity() == "ok")
  }
}
