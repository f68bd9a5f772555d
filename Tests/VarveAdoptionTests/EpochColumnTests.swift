import Foundation
import Testing
import VarveAdoption
import VarveCore
import VarveStore
import VarveTestSupport

/// Numbers that count seconds or milliseconds from 1970.
@Suite struct EpochColumnTests {
  @Test func `a number is the moment that its digits name, as in a text`() async throws {
    let scratch = try await Scratch()
    var random = SplitMix64(seed: 7)
    var lines: [String] = []
    for id in 0..<500 {
      let count = Int64.random(in: -2_000_000_000_000..<4_000_000_000_000, using: &random)
      // The digits after the point of a negative number count backwards.
      let part = String(count.magnitude % 1_000 + 1_000).dropFirst()
      let seconds = "\(count < 0 ? "-" : "")\(count.magnitude / 1_000).\(part)"
      let (whole, rest) = count.quotientAndRemainder(dividingBy: 1_000)
      let floor = rest < 0 ? whole - 1 : whole
      let text = Date(timeIntervalSince1970: Double(floor)).formatted(.iso8601).dropLast()
      let fraction = String((rest < 0 ? rest + 1_000 : rest) + 1_000).dropFirst()
      lines.append("(\(id), \(count), \(seconds), '\(text).\(fraction)Z')")
    }
    try scratch.write(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, ms INTEGER, seconds TIMESTAMP, text DATETIME);
      INSERT INTO t VALUES \(lines.joined(separator: ", "));
      """
    )
    var plan = try AdoptionPlan(sqlite: scratch.path)
    var table = try #require(plan["t"])
    let column = try #require(table.columns.firstIndex { $0.name == "ms" })
    table.columns[column].reading = .milliseconds
    plan["t"] = table
    try await scratch.store.adopt(sqlite: scratch.path, by: plan)
    for entity in try await scratch.store.fetch(Query("t")) {
      #expect(entity["ms"]?.dateValue != nil)
      #expect(entity["ms"] == entity["text"], "\(entity.id)")
      #expect(entity["seconds"] == entity["text"], "\(entity.id)")
    }
    let report = try await scratch.store.adopt(sqlite: scratch.path, by: plan)
    #expect(report.commit == nil)
  }

  @Test func `a zone may have hours only, and the sign of UTC may be small`() async throws {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, at TIMESTAMP);
      INSERT INTO t VALUES (1, '2001-01-01 00:00:00+02'), (2, '2000-12-31T22:00:00z'),
        (3, '2001-01-01 00:00:00+2');
      """
    )
    try await scratch.adopt()
    let moment = try Value.date(.iso("2000-12-31T22:00:00Z"))
    #expect(try await scratch.store.require("t#1")["at"] == moment)
    #expect(try await scratch.store.require("t#2")["at"] == moment)
    #expect(try await scratch.store.require("t#3")["at"] == "2001-01-01 00:00:00+2")
  }

  @Test func `the report names tables that are not adopted`() async throws {
    let scratch = try await Scratch()
    try scratch.write(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY);
      CREATE TABLE rid (rowid TEXT, _rowid_ TEXT, oid TEXT);
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
      INSERT INTO t VALUES (1); INSERT INTO rid VALUES (1, 2, 3);
      """
    )
    let report = try await scratch.adopt()
    #expect(report.createdCount == 1)
    #expect(
      report.notes == [
        "not adopted: grdb_migrations: GRDB's list of applied migrations",
        "not adopted: rid: its rows cannot be distinguished",
      ]
    )
  }
}
