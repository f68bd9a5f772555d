import Foundation
import GRDB
import Testing
import VarveAdoption
import VarveCore
import VarveStore

@Suite("Adopting databases with odd contents, twice")
struct HostileDatabaseTests {
  @Test func `tables and columns whose names only Swift takes for equal stay apart`() async throws {
    let scratch = try await Scratch()
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    try scratch.write(
      """
      CREATE TABLE "Ä" (id INTEGER PRIMARY KEY, "ö" TEXT, "Ö" TEXT);
      CREATE TABLE "ä" (id INTEGER PRIMARY KEY);
      CREATE TABLE "\(composed)" (k TEXT PRIMARY KEY, "\u{E9}" TEXT, "e\u{301}" TEXT);
      CREATE TABLE "\(decomposed)" (k TEXT PRIMARY KEY);
      CREATE TABLE r (id INTEGER PRIMARY KEY, a REFERENCES "Ä", b REFERENCES "ä",
        c TEXT REFERENCES "\(composed)", d TEXT REFERENCES "\(decomposed)");
      INSERT INTO "Ä" VALUES (1, 'small', 'large');
      INSERT INTO "ä" VALUES (1);
      INSERT INTO "\(composed)" VALUES ('\u{E9}', '1', '2'), ('e\u{301}', '3', '4');
      INSERT INTO "\(decomposed)" VALUES ('x');
      INSERT INTO r VALUES (1, 1, 1, 'e\u{301}', 'x');
      """
    )
    #expect(try await scratch.adopt().createdCount == 6)
    let row = try await scratch.store.require("r#1")
    #expect(row["a"] == .reference("Ä#1"))
    #expect(row["b"] == .reference("ä#1"))
    #expect(row["c"] == .reference(EntityID(unchecked: composed + "/e\u{301}")))
    #expect(row["d"] == .reference(EntityID(unchecked: decomposed + "/x")))
    let letters = try await scratch.store.require("Ä#1")
    #expect(letters["ö"] == "small" && letters["Ö"] == "large")
    let accents = try await scratch.store.require(EntityID(unchecked: composed + "/\u{E9}"))
    #expect(accents[PropertyKey("\u{E9}")] == "1" && accents[PropertyKey("e\u{301}")] == "2")
    #expect(try await scratch.readopt().commit == nil)
  }

  @Test func `reserved words, quotes, spaces and empty names are names`() async throws {
    let scratch = try await Scratch()
    try scratch.write(
      #"""
      CREATE TABLE "select" ("from" TEXT, "group" INTEGER REFERENCES "order", "a.b" TEXT,
        "@type" TEXT, "x ""y"" 'z'" TEXT);
      CREATE TABLE "order" ("where" INTEGER PRIMARY KEY);
      CREATE TABLE "" ("" TEXT, " " TEXT);
      CREATE TABLE " s; -- " (id INTEGER PRIMARY KEY, "new
      line" TEXT);
      INSERT INTO "order" VALUES (1);
      INSERT INTO "select" VALUES ('a', 1, 'b', 'c', 'd');
      INSERT INTO "" VALUES ('e', 'f');
      INSERT INTO " s; -- " VALUES (1, 'g');
      """#
    )
    #expect(try await scratch.adopt().createdCount == 4)
    let row = try await scratch.store.require("select#1")
    #expect(row["group"] == .reference("order#1"))
    #expect(row["x \"y\" 'z'"] == "d")
    #expect(row["a.b"] == "b" && row["@type"] == "c")
    #expect(try await scratch.store.require("#1")[" "] == "f")
    #expect(try await scratch.readopt().commit == nil)
  }

  @Test func `rows that own each other in circles, or themselves, are adopted and stay`()
    async throws
  {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE n (id INTEGER PRIMARY KEY, up INTEGER REFERENCES n ON DELETE CASCADE);
      CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b ON DELETE CASCADE);
      CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a ON DELETE CASCADE);
      INSERT INTO n VALUES (1, 2), (2, 1), (3, 3), (4, NULL), (5, 99), (6, 4);
      INSERT INTO a VALUES (1, 1);
      INSERT INTO b VALUES (1, 1);
      """,
      enforcingKeys: false
    )
    let report = try await scratch.adopt()
    #expect(report.createdCount == 8)
    #expect(report.relatedCount == 5)
    let own = try await scratch.store.require("n#3")
    #expect(own["up"] == .reference("n#3"))
    #expect(try await scratch.store.relatedIDs("n#3", .ownedBy).isEmpty)
    #expect(try await scratch.store.require("n#5")["up"] == .reference("n#99"))
    #expect(try await scratch.readopt().commit == nil)
    try scratch.write("UPDATE n SET up = 4 WHERE id = 1", enforcingKeys: false)
    let last = try await scratch.adopt()
    #expect(last.changedCount == 1 && last.relatedCount == 1 && last.unrelatedCount == 1)
    #expect(try await scratch.store.relatedIDs("n#2", .ownedBy) == ["n#1"])
  }

  @Test func `numbers beyond 2^53 stay integers, and numbers that are no dates stay numbers`()
    async throws
  {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE d (id INTEGER PRIMARY KEY, at DATETIME, n INTEGER);
      INSERT INTO d VALUES (1, 9007199254740993, 9007199254740993), (2, 9e999, -9007199254740993),
        (3, 1e300, 0), (4, '2024-02-30', 0), (5, 1717243200.5, 0), (6, 1717243200, 0),
        (7, '2024-06-01 12:00:00', 0), (8, x'00', 0);
      """
    )
    #expect(try await scratch.adopt().createdCount == 8)
    let rows = try await scratch.store.fetch(Query("d").order(by: Field("id")))
    let noon = Date(timeIntervalSince1970: 1_717_243_200)
    #expect(
      rows.map { $0["at"] } == [
        .int(9_007_199_254_740_993), .double(.infinity), .double(1e300), "2024-02-30",
        .date(noon.addingTimeInterval(0.5)), .date(noon), .date(noon), .data(Data([0])),
      ]
    )
    #expect(rows[0]["n"] == .int(9_007_199_254_740_993))
    #expect(rows[1]["n"] == .int(-9_007_199_254_740_993))
    #expect(try await scratch.readopt().commit == nil)
  }

  @Test func `a row that comes back, or whose entity was erased here, lives again`() async throws {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
      CREATE TRIGGER changed AFTER UPDATE ON t BEGIN DELETE FROM t; END;
      INSERT INTO t VALUES (1, 'a'), (2, 'b');
      """
    )
    try await scratch.adopt()
    try scratch.write("DELETE FROM t WHERE id = 1")
    #expect(try await scratch.adopt(endsMissingRows: true).endedCount == 1)
    try scratch.write("INSERT INTO t VALUES (1, 'back')")
    try await scratch.store.erase("t#2" as EntityID)
    #expect(try await scratch.adopt().createdCount == 2)
    #expect(try await scratch.store.require("t#1")["v"] == "back")
    #expect(try await scratch.store.require("t#2")["v"] == "b")
    #expect(try await scratch.readopt().commit == nil)
  }

  @Test func `a database in UTF-16 and one behind a symbolic link are read`() async throws {
    let scratch = try await Scratch()
    let queue = try DatabaseQueue(path: scratch.path)
    try await queue.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (id TEXT PRIMARY KEY)")
      try $0.execute(sql: "INSERT INTO t VALUES ('ü😀')")
    }
    try queue.close()
    let link = scratch.path + "-link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scratch.path)
    #expect(try await scratch.store.adopt(sqlite: link).createdCount == 1)
    #expect(try await scratch.store.exists("t/ü😀"))
    #expect(try await scratch.readopt().commit == nil)
  }

  @Test func `a store of Varve is refused, with the command that takes it`() async throws {
    let scratch = try await Scratch()
    let other = try await Store.open(scratch.path)
    try await other.create("Hat", ["color": "red"])
    try await other.close()
    let error = await #expect(throws: VarveError.self) { try await scratch.adopt() }
    #expect(error?.code == .invalidArgument)
    #expect(error?.remedy?.contains("varve merge") == true)
  }

  @Test(arguments: [1, 4_096, 60_000]
  )
  func `a database cut anywhere is damaged, and nothing is adopted`(missing: Int) async throws {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO t SELECT i, hex(randomblob(40)) FROM n;
      """
    )
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: scratch.path))
    try file.truncate(atOffset: file.seekToEnd() - UInt64(missing))
    try file.close()
    let error = await #expect(throws: VarveError.self) { try await scratch.adopt() }
    #expect(error?.code == .damaged)
    #expect(try await scratch.store.types().isEmpty)
  }

  @Test func `an adoption that is cancelled, or whose progress throws, writes nothing`()
    async throws
  {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO t SELECT i FROM n;
      """
    )
    await #expect(throws: CancellationError.self) {
      try await scratch.store.adopt(sqlite: scratch.path) { progress in
        if progress.rowCount > 1_000 { throw CancellationError() }
      }
    }
    #expect(try await scratch.store.types().isEmpty)
    #expect(try await scratch.store.log().isEmpty)
    #expect(try await scratch.adopt().createdCount == 2_000)
  }
}
