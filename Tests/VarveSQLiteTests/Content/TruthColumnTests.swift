import CSQLite
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Columns named true and false", .enabled(if: PlainFiles.areUsed))
struct TruthColumnTests {
  @Test func `of a store from before such names were reserved are renamed when it is opened`()
    async throws
  {
    let (scratch, clock) = (try Scratch(), TestClock())
    let path = scratch.path("hats.varve")
    let first = try await openBackend(path, clock: clock)
    try await first.addIndex(on: "true", of: "Hat")
    try await first.create("a", "Hat", ["true": 1, "FALSE": "no", "size": 3])
    let moment = Moment.time(HybridTime(millisecondsSince1970: clock.now).endOfMillisecond)
    clock.advance(by: 10)
    try await first.set("a", "true", 2)
    try await first.close()
    try restoreNames(path)
    for _ in 0..<2 {
      let backend = try await openBackend(path, clock: clock)
      try await backend.set("a", "size", 4)
      for key in ["true", "FALSE", "size"] as [PropertyKey] {
        let query = Query("Hat").where(!Field(key).isMissing).order(by: Field(key))
        let now = try await backend.read(at: .now) { try await $0.fetch(query) }
        let then = try await backend.read(at: moment) { try await $0.fetch(query) }
        #expect(now.map { $0["true"] } == [2] && then.map { $0["true"] } == [1], "\(key)")
        #expect(then.map { $0["FALSE"] } == ["no"])
      }
      #expect(try await backend.findings() == [])
      try await backend.close()
    }
  }

  /// Names the columns as they were named before.
  private func restoreNames(_ path: String) throws {
    var handle: OpaquePointer?
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    for name in ["true", "FALSE"] {
      let column = "(SELECT number FROM varve_key WHERE name = '\(name)')"
      var number: OpaquePointer?
      try #require(sqlite3_prepare_v2(handle, "SELECT \(column)", -1, &number, nil) == SQLITE_OK)
      try #require(sqlite3_step(number) == SQLITE_ROW)
      let former = "c\(sqlite3_column_int64(number, 0))"
      sqlite3_finalize(number)
      let script = """
        ALTER TABLE Hat RENAME COLUMN \(former) TO "\(name)";
        UPDATE varve_column SET column_name = '\(name)' WHERE key = \(column);
        """
      try #require(sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK)
    }
  }
}
