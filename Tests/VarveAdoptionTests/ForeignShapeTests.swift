import Foundation
import GRDB
import Testing
import VarveAdoption
import VarveCore
import VarveStore

@Suite("Databases of other libraries and unusual tables")
struct ForeignShapeTests {
  private struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: UUID
    var name: String
    var isActive: Bool
    var joined: Date
  }

  @Test func `a database that GRDB writes is adopted with its dates and identifiers`() async throws
  {
    let scratch = try await Scratch()
    let queue = try DatabaseQueue(path: scratch.path)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try db.create(table: "player") { table in
        table.primaryKey("id", .blob)
        table.column("name", .text).notNull()
        table.column("isActive", .boolean).notNull()
        table.column("joined", .datetime).notNull()
      }
    }
    try migrator.migrate(queue)
    let joined = Date(timeIntervalSince1970: 1_700_000_000.125)
    let player = Player(id: UUID(), name: "Ann", isActive: true, joined: joined)
    try await queue.write { try player.insert($0) }
    try queue.close()
    #expect(try await scratch.adopt().createdCount == 1)
    let stored = try #require(try await scratch.store.first(Query("player")))
    #expect(stored["name"] == "Ann")
    #expect(stored["isActive"] == true)
    #expect(stored["joined"] == .date(joined))
    #expect(stored["id"]?.dataValue?.count == 16)
    #expect(try await scratch.store.types().count == 1)
    #expect(try await scratch.readopt().commit == nil)
  }

  @Test func `keys that are UUID texts become part of the identifiers`() async throws {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE lists (id TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE, title TEXT) STRICT;
      CREATE TABLE items (id TEXT PRIMARY KEY NOT NULL,
        listID TEXT NOT NULL REFERENCES lists(id) ON DELETE CASCADE) STRICT;
      INSERT INTO lists VALUES ('018f4e2a-0000-7000-8000-000000000001', 'Hats');
      INSERT INTO items VALUES ('018f4e2a-0000-7000-8000-000000000002',
        '018f4e2a-0000-7000-8000-000000000001');
      """
    )
    #expect(try await scratch.adopt().createdCount == 2)
    let list: EntityID = "lists/018f4e2a-0000-7000-8000-000000000001"
    let item: EntityID = "items/018f4e2a-0000-7000-8000-000000000002"
    #expect(try await scratch.store.require(item)["listID"] == .reference(list))
    #expect(try await scratch.store.relatedIDs(list, .owns) == [item])
    #expect(try await scratch.readopt().commit == nil)
  }

  @Test func `the tables of Core Data become entities, with inheritance, dates and joins`()
    async throws
  {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
        Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Note', 0, 2), (2, 'Draft', 1, 0), (3, 'Tag', 0, 1),
        (4, 'Folder', 0, 1);
      CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZFOLDER INTEGER, ZCREATED TIMESTAMP, ZTITLE VARCHAR);
      CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      CREATE TABLE ZFOLDER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      CREATE TABLE Z_1TAGS (Z_1NOTES INTEGER, Z_3TAGS INTEGER, PRIMARY KEY (Z_1NOTES, Z_3TAGS));
      INSERT INTO ZFOLDER VALUES (1, 4, 1, 'Home');
      INSERT INTO ZNOTE VALUES (1, 1, 1, 1, 600000000.5, 'Hats'), (2, 2, 1, NULL, NULL, 'Caps');
      INSERT INTO ZTAG VALUES (7, 3, 1, 'wool');
      INSERT INTO Z_1TAGS VALUES (1, 7), (2, 7);
      """
    )
    let report = try await scratch.adopt()
    #expect(report.createdCount == 4)
    #expect(report.relatedCount == 2)
    let note = try await scratch.store.require("Note#1")
    #expect(note.type == "Note")
    #expect(note.keys == ["created", "folder", "title"])
    #expect(note["folder"] == .reference("Folder#1"))
    #expect(note["created"] == .date(Date(timeIntervalSinceReferenceDate: 600_000_000.5)))
    #expect(try await scratch.store.require("Note#2").type == "Draft")
    #expect(try await scratch.store.relatedIDs("Note#2", .free, named: "tags") == ["Tag#7"])
    #expect(try await scratch.readopt().commit == nil)
    try scratch.write("DELETE FROM Z_1TAGS; DELETE FROM ZNOTE WHERE Z_PK = 2")
    let last = try await scratch.adopt(endsMissingRows: true)
    #expect(last.endedCount == 1)
    #expect(last.unrelatedCount == 2)
  }

  @Test
  func `a relationship of Core Data names its entity by a number, and a changed type is listed`()
    async throws
  {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
        Z_MAX INTEGER);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Note', 0, 2), (2, 'Draft', 1, 0), (3, 'Place', 0, 1),
        (4, 'City', 3, 1);
      CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY);
      CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZWRITTENAT INTEGER, Z3_WRITTENAT INTEGER, ZUNTIL TIMESTAMP);
      CREATE TABLE ZPLACE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      INSERT INTO ZPLACE VALUES (7, 4, 1, 'Bern');
      INSERT INTO ZNOTE VALUES (1, 1, 1, 7, 4, 9e999), (2, 1, 1, NULL, NULL, 0);
      """
    )
    #expect(try await scratch.adopt().createdCount == 3)
    let note = try await scratch.store.require("Note#1")
    #expect(note.keys == ["until", "writtenat"])
    #expect(note["writtenat"] == .reference("Place#7"))
    #expect(note["until"] == .double(.infinity))
    #expect(try await scratch.store.require("Place#7").type == "City")
    #expect(try await scratch.readopt().commit == nil)
    try scratch.write("UPDATE ZNOTE SET Z_ENT = 2 WHERE Z_PK = 1")
    let last = try await scratch.adopt()
    #expect(last.commit == nil)
    #expect(last.diagnostics == ["Note#1: the type Draft: the entity is of type Note"])
  }

  @Test
  func `composite keys, keys of several kinds and references to unique columns identify rows`()
    async throws
  {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE seat (hall TEXT, number INTEGER, PRIMARY KEY (hall, number)) WITHOUT ROWID;
      CREATE TABLE ticket (id INTEGER PRIMARY KEY, hall TEXT, number INTEGER, guest TEXT,
        FOREIGN KEY (hall, number) REFERENCES seat, FOREIGN KEY (guest) REFERENCES guest(mail));
      CREATE TABLE guest (mail TEXT UNIQUE);
      INSERT INTO seat VALUES ('A/1', 1), ('A', 1);
      INSERT INTO guest VALUES ('b@c'), ('d@e');
      INSERT INTO ticket VALUES (1, 'A/1', 1, 'd@e'), (2, NULL, 1, 'unknown');
      """,
      enforcingKeys: false
    )
    #expect(try await scratch.adopt().createdCount == 6)
    let ticket = try await scratch.store.require("ticket#1")
    #expect(ticket["seat"] == .reference("seat/A%2F1#1"))
    #expect(ticket["hall"] == "A/1")
    #expect(ticket["guest"] == .reference("guest#2"))
    let other = try await scratch.store.require("ticket#2")
    #expect(other["seat"] == nil)
    #expect(other["guest"] == "unknown")
    #expect(try await scratch.readopt().commit == nil)
  }

  @Test func `a reference is compared as its database compares it, by affinity and collation`()
    async throws
  {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY);
      CREATE TABLE b (code TEXT PRIMARY KEY COLLATE NOCASE);
      CREATE TABLE c (id INTEGER PRIMARY KEY, a TEXT REFERENCES a(id), b TEXT REFERENCES b(code));
      INSERT INTO a VALUES (3);
      INSERT INTO b VALUES ('Jazz');
      INSERT INTO c VALUES (1, '3', 'JAZZ'), (2, '4', 'folk');
      """,
      enforcingKeys: false
    )
    #expect(try await scratch.adopt().createdCount == 4)
    let found = try await scratch.store.require("c#1")
    #expect(found["a"] == .reference("a#3"))
    #expect(found["b"] == .reference("b/Jazz"))
    #expect(try await scratch.store.require("c#2")["b"] == .reference("b/folk"))
    #expect(try await scratch.readopt().commit == nil)
  }

  @Test func `every stored value is kept: bounds of integers, infinity, NaN texts and huge blobs`()
    async throws
  {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE v (id INTEGER PRIMARY KEY, i INTEGER, r REAL, b BLOB, d DATE, o BOOLEAN, j JSON);
      INSERT INTO v VALUES (-9223372036854775808, 9223372036854775807, 9e999, zeroblob(3000000),
        'soon', 2, '{"a": 1}');
      INSERT INTO v VALUES (9223372036854775807, NULL, 'NaN', x'', '2024-02-29', 0, NULL);
      INSERT INTO v VALUES (0, 'text', 1.5, CAST(x'ff' AS TEXT), 86400, NULL, NULL);
      """
    )
    #expect(try await scratch.adopt().createdCount == 3)
    let low = try await scratch.store.require("v#-9223372036854775808")
    #expect(low["i"] == .int(.max))
    #expect(low["r"] == .double(.infinity))
    #expect(low["b"]?.dataValue?.count == 3_000_000)
    #expect(low["d"] == "soon")
    #expect(low["o"] == 2)
    #expect(low["j"] == #"{"a": 1}"#)
    let high = try await scratch.store.require("v#9223372036854775807")
    #expect(high["r"] == "NaN")
    #expect(high["b"] == .data(Data()))
    #expect(high["d"] == .date(Date(timeIntervalSince1970: 1_709_164_800)))
    #expect(high["o"] == false)
    let zero = try await scratch.store.require("v#0")
    #expect(zero["i"] == "text")
    #expect(zero["b"] == .data(Data([0xFF])))
    #expect(zero["d"] == .date(Date(timeIntervalSince1970: 86_400)))
    #expect(try await scratch.readopt().commit == nil)
  }

  @Test func `empty tables, views, generated columns, weird names and null keys are no obstacle`()
    async throws
  {
    let scratch = try await Scratch()
    try scratch.write(
      #"""
      CREATE TABLE empty (id INTEGER PRIMARY KEY);
      CREATE TABLE "it's ""odd"" %/#" ("a ""b""" TEXT, "ünïcode" TEXT, "rowid" TEXT);
      INSERT INTO "it's ""odd"" %/#" VALUES ('x', 'y', 'z');
      CREATE TABLE made (id INTEGER PRIMARY KEY, w INTEGER, double AS (w * 2) STORED);
      INSERT INTO made (id, w) VALUES (1, 4);
      CREATE TABLE taken (rowid TEXT, _rowid_ TEXT, oid TEXT);
      CREATE TABLE nullable (k TEXT PRIMARY KEY);
      INSERT INTO nullable VALUES ('a'), (NULL), (NULL);
      CREATE VIEW seen AS SELECT * FROM made;
      CREATE VIRTUAL TABLE words USING fts5(text);
      """#
    )
    let plan = try AdoptionPlan(sqlite: scratch.path)
    #expect(plan.omissions.count == 3)
    let report = try await scratch.adopt()
    #expect(report.createdCount == 5)
    #expect(report.diagnosticCount == 0 && report.noteCount == 5)
    let odd = try await scratch.store.require("it's \"odd\" %25%2F%23#1")
    #expect(odd["a \"b\""] == "x")
    #expect(odd["rowid"] == "z")
    #expect(try await scratch.store.require("made#1")["double"] == 8)
    #expect(try await scratch.readopt().commit == nil)
  }

  @Test func `a file that is no database, a damaged one and a missing one are refused`()
    async throws
  {
    let scratch = try await Scratch()
    await expect(.notFound, scratch)
    try Data("no database, but long enough to look at".utf8)
      .write(to: URL(fileURLWithPath: scratch.path))
    await expect(.invalidArgument, scratch)
    try Data("SQLite format 3\0".utf8).write(to: URL(fileURLWithPath: scratch.path))
    await expect(.invalidArgument, scratch)
    try FileManager.default.removeItem(atPath: scratch.path)
    try scratch.write(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO t SELECT i, hex(randomblob(40)) FROM n;
      """
    )
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: scratch.path))
    try file.seek(toOffset: 8_192)
    try file.write(contentsOf: Data(repeating: 0xA5, count: 40_000))
    try file.close()
    await expect(.damaged, scratch)
    #expect(try await scratch.store.types().isEmpty)
  }

  private func expect(_ code: VarveError.Code, _ scratch: Scratch) async {
    do {
      _ = try await scratch.adopt()
      Issue.record("adopting succeeds")
    } catch let error as VarveError {
      #expect(error.code == code, "\(error)")
    } catch {
      Issue.record(error)
    }
  }
}
