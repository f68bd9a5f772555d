import Foundation
import GRDB
import Testing
import VarveAdoption
import VarveCore
import VarveStore

@Suite("Adopted foreign keys refer to the rows that SQLite finds")
struct ForeignKeyTests {
  @Test func `the parent's affinity applies: the integer 1 refers to the text 1 and not to 01`()
    async throws
  {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE p (k TEXT PRIMARY KEY, name TEXT);
      CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p ON DELETE CASCADE);
      INSERT INTO p VALUES ('01', 'wrong'), ('1', 'right'), ('007', 'wrong');
      INSERT INTO c VALUES (1, 1), (2, 7);
      """,
      enforcingKeys: false
    )
    #expect(try await scratch.adopt().createdCount == 5)
    #expect(try await scratch.store.require("c#1")["p"] == .reference("p/1"))
    #expect(try await scratch.store.relatedIDs("c#1", .ownedBy) == ["p/1"])
    // A key without a row refers to the row that it would have, and has no owner.
    #expect(try await scratch.store.require("c#2")["p"] == .reference("p/7"))
    #expect(try await scratch.store.relatedIDs("c#2", .ownedBy).isEmpty)
    try await scratch.store.erase("p/01" as EntityID)
    #expect(try await scratch.store.exists("c#1"))
    try scratch.write("INSERT INTO p VALUES ('7', 'late')", enforcingKeys: false)
    try await scratch.adopt()
    #expect(try await scratch.store.relatedIDs("c#2", .ownedBy) == ["p/7"])
  }

  @Test func `a child without a type refers by value: text 1 is not integer 1`() async throws {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE p (k PRIMARY KEY, name);
      CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p, q TEXT REFERENCES p);
      INSERT INTO p VALUES (1, 'integer'), ('1', 'text'), (x'31', 'data');
      INSERT INTO c VALUES (1, 1, 1), (2, '1', '1'), (3, x'31', x'31');
      """
    )
    try await scratch.adopt()
    let rows = try await scratch.store.fetch(Query("c").order(by: Field("id")))
    #expect(rows[0]["p"] == .reference("p#1") && rows[0]["q"] == .reference("p/1"))
    #expect(rows[1]["p"] == .reference("p/1") && rows[1]["q"] == .reference("p/1"))
    #expect(rows[2]["p"] == rows[2]["q"])
    #expect(rows[2]["p"]?.referenceValue.map { $0.text.hasPrefix("p!") } == true)
  }

  @Test func `a composite key is one row, and never parts of two`() async throws {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE p (a TEXT, b TEXT, PRIMARY KEY (a, b));
      CREATE TABLE c (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER,
        FOREIGN KEY (a, b) REFERENCES p);
      INSERT INTO p VALUES ('01', '2'), ('1', '02'), ('1', '2');
      INSERT INTO c VALUES (1, 1, 2);
      """
    )
    try await scratch.adopt()
    #expect(try await scratch.store.require("c#1")["p"] == .reference("p/1/2"))
  }

  @Test func `a reference to columns that are not unique refers only to a single row`() async throws
  {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY, code TEXT);
      CREATE TABLE c (id INTEGER PRIMARY KEY, code TEXT REFERENCES p (code) ON DELETE CASCADE);
      INSERT INTO p VALUES (1, 'a'), (2, 'a'), (3, 'b');
      INSERT INTO c VALUES (1, 'a'), (2, 'b');
      """,
      enforcingKeys: false
    )
    #expect(try await scratch.adopt().relatedCount == 1)
    #expect(try await scratch.store.require("c#1")["code"] == "a")
    #expect(try await scratch.store.require("c#2")["code"] == .reference("p#3"))
  }

  @Test func `rows with a null in their key are adopted by their numbers, and named`() async throws
  {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE t (k TEXT PRIMARY KEY, n INTEGER, code TEXT UNIQUE);
      INSERT INTO t VALUES (NULL, 1, 'x'), (NULL, 2, 'y'), ('a', 3, 'z');
      CREATE TABLE u (a INT, b INT, PRIMARY KEY (a, b));
      INSERT INTO u VALUES (1, NULL), (1, NULL), (1, 2);
      CREATE TABLE c (id INTEGER PRIMARY KEY, t TEXT REFERENCES t (code) ON DELETE CASCADE);
      INSERT INTO c VALUES (1, 'y');
      CREATE TABLE l (t TEXT REFERENCES t, c INTEGER REFERENCES c);
      INSERT INTO l VALUES ('a', 1), (NULL, 1), ('a', NULL);
      """
    )
    let report = try await scratch.adopt()
    #expect(report.createdCount == 7)
    #expect(report.noteCount == 4)
    #expect(
      report.notes.first == "t: row 1 has a null in its key, k = null: its number identifies it"
    )
    #expect(
      report.notes.contains { $0.hasPrefix("u: row 2 has a null in its key, a = 1, b = null") }
    )
    #expect(report.diagnosticCount == 2, "\(report.diagnostics)")
    #expect(report.diagnostics.contains("l: a row has a null beside c#1, and links nothing"))
    #expect(try await scratch.store.require("t~#2")["n"] == 2)
    #expect(try await scratch.store.relatedIDs("t~#2", .owns) == ["c#1"])
    let again = try await scratch.readopt()
    #expect(again.commit == nil && again.unchangedCount == 7)
    try scratch.write("DELETE FROM l; DELETE FROM c; DELETE FROM t WHERE n = 2")
    #expect(try await scratch.adopt(endsMissingRows: true).endedCount == 2)
    #expect(try await scratch.store.exists("t~#1"))
    #expect(try await !scratch.store.exists("t~#2"))
  }

  @Test func `a row with a null in its key that has no number either is named, and not adopted`()
    async throws
  {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE t (rowid TEXT, _rowid_ TEXT, oid TEXT, k TEXT PRIMARY KEY);
      INSERT INTO t VALUES ('a', 'b', 'c', NULL), ('a', 'b', 'c', 'd');
      """
    )
    let report = try await scratch.adopt()
    #expect(report.createdCount == 1)
    #expect(report.diagnostics == ["t: a row has a null in its key, k = null"])
  }

  @Test func `dates stay in their second and their year, and numbers beyond 9999 are no dates`()
    async throws
  {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE d (id INTEGER PRIMARY KEY, at DATETIME);
      INSERT INTO d VALUES (1, '9999-12-31 23:59:59.9999999'), (2, '2018-12-31 23:59:59.9999999999'),
        (3, 1544227200000), (4, 1544227200000000), (5, 253402300799), (6, 253402300800),
        (7, '9999-12-31 23:59:59-01:00'), (8, '0000-01-01'), (9, -62167219201),
        (10, '2000-12-31 23:59:59.99999999999999999999');
      """
    )
    let report = try await scratch.adopt()
    let rows = try await scratch.store.fetch(Query("d").order(by: Field("id")))
    func date(_ text: String) throws -> Date { try .iso(text) }
    func isWithinSecond(_ value: Value?, _ text: String) throws -> Bool {
      guard case .date(let moment)? = value else { return false }
      return try (date(text)..<date(text).addingTimeInterval(1)).contains(moment)
    }
    #expect(try isWithinSecond(rows[0]["at"], "9999-12-31T23:59:59Z"))
    #expect(try isWithinSecond(rows[1]["at"], "2018-12-31T23:59:59Z"))
    #expect(rows[2]["at"] == 1_544_227_200_000 && rows[3]["at"] == 1_544_227_200_000_000)
    #expect(rows[4]["at"] == .date(try date("9999-12-31T23:59:59Z")))
    #expect(rows[5]["at"] == 253_402_300_800)
    #expect(rows[6]["at"] == "9999-12-31 23:59:59-01:00")
    #expect(rows[7]["at"] == .date(Date(timeIntervalSince1970: -62_167_219_200)))
    #expect(rows[8]["at"] == .int(-62_167_219_201))
    #expect(try isWithinSecond(rows[9]["at"], "2000-12-31T23:59:59Z"))
    #expect(
      report.notes == [
        "d.at: 5 values are no dates, such as 1544227200000; read as milliseconds "
          + "(--kind d.at=milliseconds), it is 2018-12-08T00:00:00.000Z",
        "d.at: 2 values have more digits than a date, such as 9999-12-31 23:59:59.9999999, which is "
          + "read as 9999-12-31T23:59:59.99997Z; --kind d.at=stored keeps the texts",
      ]
    )
  }
}
