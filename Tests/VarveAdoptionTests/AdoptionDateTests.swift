import Foundation
import Testing
import VarveAdoption
import VarveCore
import VarveStore
import VarveTestSupport

/// Adoptions for a time before the stored data.
@Suite("Adopting for an earlier time")
struct AdoptionDateTests {
  private typealias Rows = [Int: Int?]

  enum Form: CaseIterable { case database, lines }

  private static let relations: [(RelationKind, PropertyKey)] = [(.ownedBy, "o"), (.free, "l")]

  private func day(_ text: String) throws -> Date { try .iso("\(text)T00:00:00Z") }

  /// Adopts the table `a` with the given rows.
  @discardableResult
  private func adopt(
    _ rows: Rows,
    _ scratch: Scratch,
    _ date: String,
    ending: Bool = false,
    as form: Form = .database
  ) async throws -> AdoptionReport {
    if form == .database {
      let values = rows.sorted { $0.key < $1.key }.map {
        "(\($0), \($1.map(String.init) ?? "NULL"))"
      }
      try scratch.write(
        """
        DROP TABLE IF EXISTS a;
        CREATE TABLE a (id INTEGER PRIMARY KEY, n INTEGER);
        """
      )
      if !values.isEmpty {
        try scratch.write("INSERT INTO a VALUES \(values.joined(separator: ", "))")
      }
      return try await scratch.adopt(endsMissingRows: ending, at: day(date))
    }
    let lines = rows.sorted { $0.key < $1.key }.map { "\($0),\($1.map(String.init) ?? "")\n" }
    try Data(("id,n\n" + lines.joined()).utf8).write(to: URL(fileURLWithPath: scratch.path))
    var options = AdoptionOptions()
    (options.endsMissingRows, options.time) = (ending, try day(date))
    return try await scratch.store.adopt(
      csv: scratch.path,
      as: "a",
      key: "id",
      kinds: ["id": .integer, "n": .integer],
      options
    )
  }

  /// The rows of the table at a date, by their column `id`.
  private func rows(_ scratch: Scratch, _ date: String) async throws -> Rows {
    let entities = try await scratch.store.asOf(day(date)).fetch(Query("a"))
    return Dictionary(
      uniqueKeysWithValues: entities.map {
        (Int($0["id"]?.intValue ?? 0), $0["n"]?.intValue.map(Int.init))
      }
    )
  }

  @Test(
    arguments: Form.allCases
  )
  func `an empty field removes what was written for a time before the creation`(form: Form)
    async throws
  {
    let scratch = try await Scratch()
    try await adopt([1: 5], scratch, "2020-01-05", as: form)
    let entity = try #require(try await scratch.store.fetch(Query("a")).first)
    try await scratch.store.set(entity.id, "n", 2, at: day("2020-01-02"))
    try await adopt([1: nil as Int?], scratch, "2020-01-03", as: form)
    #expect(try await rows(scratch, "2020-01-04") == [1: nil as Int?])
    #expect(try await rows(scratch, "2020-01-06") == [1: 5])
    let again = try await adopt([1: nil as Int?], scratch, "2020-01-03", as: form)
    #expect(again.commit == nil && again.unchangedCount == 1)
  }

  private func expectRefusal(
    _ scratch: Scratch,
    _ body: () async throws -> AdoptionReport
  ) async throws {
    let before = try await scratch.store.frontier()
    let error = await #expect(throws: VarveError.self) { _ = try await body() }
    #expect(error?.code == .invalidArgument)
    #expect(error?.remedy != nil)
    #expect(try await scratch.store.frontier() == before)
  }

  @Test(
    arguments: Form.allCases
  )
  func `a row whose entity was created later lives from the earlier time on`(form: Form)
    async throws
  {
    let scratch = try await Scratch()
    try await adopt([1: 1], scratch, "2020-01-01", as: form)
    try await adopt([1: 1, 3: 3], scratch, "2021-01-01", as: form)
    let report = try await adopt([1: 7, 3: 3, 4: 4], scratch, "2020-07-01", as: form)
    #expect(report.createdCount == 2 && report.changedCount == 1)
    #expect(try await rows(scratch, "2020-06-01") == [1: 1])
    #expect(try await rows(scratch, "2020-08-01") == [1: 7, 3: 3, 4: 4])
    #expect(try await rows(scratch, "2021-06-01") == [1: 7, 3: 3, 4: 4])
    let again = try await adopt([1: 7, 3: 3, 4: 4], scratch, "2020-07-01", as: form)
    #expect(again.commit == nil && again.unchangedCount == 3)
  }

  @Test(arguments: Form.allCases)
  func `a missing row ends nothing that was created later`(form: Form) async throws {
    let scratch = try await Scratch()
    try await adopt([1: 1], scratch, "2020-01-01", as: form)
    try await adopt([1: 1, 3: 3], scratch, "2022-01-01", as: form)
    let report = try await adopt([1: 1], scratch, "2021-01-01", ending: true, as: form)
    #expect(report.endedCount == 0 && report.commit == nil)
    #expect(try await rows(scratch, "2022-06-01") == [1: 1, 3: 3])
  }

  @Test(arguments: Form.allCases)
  func `a missing row whose entity ended later is refused`(form: Form) async throws {
    let scratch = try await Scratch()
    try await adopt([1: 1, 2: 2], scratch, "2020-01-01", as: form)
    try await adopt([1: 1], scratch, "2022-01-01", ending: true, as: form)
    try await expectRefusal(scratch) {
      try await adopt([1: 1], scratch, "2021-01-01", ending: true, as: form)
    }
  }

  @Test(arguments: Form.allCases)
  func `ending an entity with later data is refused`(form: Form) async throws {
    let scratch = try await Scratch()
    try await adopt([1: 1, 2: 2], scratch, "2020-01-01", as: form)
    try await adopt([1: 1, 2: 5], scratch, "2022-01-01", as: form)
    try await expectRefusal(scratch) {
      try await adopt([1: 1], scratch, "2021-01-01", ending: true, as: form)
    }
  }

  @Test(arguments: Form.allCases)
  func `a changed row whose entity has ended since is refused`(form: Form) async throws {
    let scratch = try await Scratch()
    try await adopt([1: 1, 2: 2], scratch, "2020-01-01", as: form)
    try await adopt([1: 1], scratch, "2021-01-01", ending: true, as: form)
    try await expectRefusal(scratch) {
      try await adopt([1: 1, 2: 5], scratch, "2020-06-01", as: form)
    }
    let same = try await adopt([1: 1, 2: 2], scratch, "2020-06-01", as: form)
    #expect(same.commit == nil && same.unchangedCount == 2)
    #expect(try await rows(scratch, "2021-06-01") == [1: 1])
  }

  @Test(arguments: Form.allCases)
  func `a row whose entity lived and ended later only is refused`(form: Form) async throws {
    let scratch = try await Scratch()
    try await adopt([1: 1], scratch, "2020-01-01", as: form)
    try await adopt([1: 1, 2: 2], scratch, "2021-01-01", as: form)
    try await adopt([1: 1], scratch, "2022-01-01", ending: true, as: form)
    try await expectRefusal(scratch) {
      try await adopt([1: 1, 2: 2], scratch, "2020-06-01", as: form)
    }
  }

  @Test(arguments: Form.allCases)
  func `rows are compared with the values of their date`(form: Form) async throws {
    let scratch = try await Scratch()
    try await adopt([1: 1], scratch, "2020-01-01", as: form)
    try await adopt([1: 10], scratch, "2021-01-01", as: form)
    #expect(try await adopt([1: 7], scratch, "2020-07-01", as: form).changedCount == 1)
    for (date, value) in [("2020-07-01", 7), ("2020-03-01", 1), ("2021-01-01", 10)] {
      let again = try await adopt([1: value], scratch, date, ending: true, as: form)
      #expect(again.commit == nil && again.unchangedCount == 1)
    }
    #expect(try await rows(scratch, "2021-06-01") == [1: 10])
  }

  /// Adopts a table `b` of which each row may have an owner and be linked to it.
  @discardableResult
  private func adopt(
    owners: Rows,
    _ scratch: Scratch,
    _ date: String
  ) async throws -> AdoptionReport {
    let rows = owners.sorted { $0.key < $1.key }.map { "(\($0), \($1.map(String.init) ?? "NULL"))" }
    let links = owners.compactMap { key, owner in owner.map { "(\(key), \($0))" } }
    try scratch.write(
      """
      DROP TABLE IF EXISTS l; DROP TABLE IF EXISTS b; DROP TABLE IF EXISTS o;
      CREATE TABLE o (id INTEGER PRIMARY KEY);
      CREATE TABLE b (id INTEGER PRIMARY KEY, o INTEGER REFERENCES o ON DELETE CASCADE);
      CREATE TABLE l (b INTEGER REFERENCES b, o INTEGER REFERENCES o);
      INSERT INTO o VALUES (1), (2), (3);
      INSERT INTO b VALUES \(rows.joined(separator: ", "));
      """
    )
    if !links.isEmpty { try scratch.write("INSERT INTO l VALUES \(links.joined(separator: ", "))") }
    return try await scratch.adopt(at: day(date))
  }

  @Test func `owners and links that changed later otherwise are refused, and the later ones stay`()
    async throws
  {
    let scratch = try await Scratch()
    try await adopt(owners: [1: 1, 2: 1], scratch, "2020-01-01")
    try await adopt(owners: [1: 2, 2: nil], scratch, "2021-01-01")
    try await expectRefusal(scratch) {
      try await adopt(owners: [1: 3, 2: 3], scratch, "2020-06-01")
    }
    for (date, first, second) in [("2020-09-01", "o#1", "o#1"), ("2021-06-01", "o#2", nil)] {
      let then = try scratch.store.asOf(day(date))
      for (kind, name) in Self.relations {
        #expect(try await then.relatedIDs("b#1", kind, named: name).map(\.text) == [first])
        let others = try await then.relatedIDs("b#2", kind, named: name).map(\.text)
        #expect(others == [second].compactMap(\.self))
      }
    }
  }

  @Test
  func `a row with the owner and links of a later one lives with them from the earlier time on`()
    async throws
  {
    let scratch = try await Scratch()
    try await adopt(owners: [1: 1], scratch, "2020-01-01")
    try await adopt(owners: [1: 1, 2: 2], scratch, "2021-01-01")
    try await adopt(owners: [1: 2, 2: 2], scratch, "2022-01-01")
    #expect(try await adopt(owners: [1: 1, 2: 2], scratch, "2020-06-01").relatedCount == 2)
    #expect(try await adopt(owners: [1: 2, 2: 2], scratch, "2021-06-01").relatedCount == 2)
    for (date, first) in [("2020-09-01", "o#1"), ("2021-09-01", "o#2"), ("2022-09-01", "o#2")] {
      let then = try scratch.store.asOf(day(date))
      for (kind, name) in Self.relations {
        #expect(try await then.relatedIDs("b#1", kind, named: name).map(\.text) == [first])
        #expect(try await then.relatedIDs("b#2", kind, named: name) == ["o#2"])
      }
    }
  }
}
