import Foundation
import Testing
import VarveAdoption
import VarveCore
import VarveStore

@Suite("The notes of an adoption")
struct RemarkTests {
  @Test func `name dates that were cut, and small numbers that may be no seconds`() async throws {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, d DATETIME);
      INSERT INTO a VALUES (1, 0), (2, 20100101), (3, 1262304000), (4, '2010-01-01 10:11:12.250'),
        (5, '2010-01-01 10:11:12.123456789'), (6, '1970-01-01'), (7, '2010-01-01 10:11:12.5000000000');
      """
    )
    let notes = try await scratch.adopt().notes
    #expect(
      notes == [
        "a.d: a value has more digits than a date, such as 2010-01-01 10:11:12.123456789, which is "
          + "read as 2010-01-01T10:11:12.1234568Z; --kind a.d=stored keeps the texts",
        "a.d: 2 numbers are small, such as 0; read as seconds since 1970, it is "
          + "1970-01-01T00:00:00.000Z; --kind a.d=stored keeps the numbers",
      ]
    )
  }

  @Test func `the notes of an adoption name rows that repeat a link`() async throws {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE t (id INTEGER PRIMARY KEY);
      CREATE TABLE l (a INTEGER REFERENCES a, t INTEGER REFERENCES t);
      INSERT INTO a VALUES (1), (2); INSERT INTO t VALUES (1), (2);
      INSERT INTO l VALUES (1, 1), (1, 2), (1, 1), (2, 1), (1, 1);
      """
    )
    let report = try await scratch.adopt()
    #expect(report.relatedCount == 3)
    #expect(report.notes == ["l: 2 rows repeat links, such as a#1 to t#1; a link exists once"])
  }

  @Test func `the notes of an adoption name empty lines between rows`() async throws {
    let scratch = try await Scratch()
    for (text, notes) in [
      ("n\n1\n\n\n2\n\n3\n\n\n", ["3 empty lines were skipped; the first is line 3"]),
      ("n\r\n1\r\n\r\n2", ["line 3 is empty and was skipped"]), ("n\n1\n2\n\n", []),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: scratch.path))
      let report = try await scratch.store.adopt(csv: scratch.path, as: "Hat")
      #expect(report.notes == notes, "\(text)")
    }
  }
}
