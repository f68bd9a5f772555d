import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Imports for a time before the stored data.
@Suite("Imports for an earlier time")
struct LateImportTests {
  private func day(_ number: Int) throws -> Date { try .iso("2020-01-0\(number)T00:00:00Z") }

  private func at(_ number: Int) throws -> (inout ImportOptions) -> Void {
    let day = try day(number)
    return { $0.time = day }
  }

  private func authors(_ store: Store, _ number: Int) async throws -> [EntityID]? {
    try await store.asOf(day(number)).collection(of: "Book/1", "authors")
  }

  @Test func `a relation to many changes from then on, until its next stored change`()
    async throws
  {
    let store = try await makeStore()
    try await store.import(#"{"isbn": "1", "authors": [1, 2]}"#, as: "Book", at(1))
    try await store.import(#"{"isbn": "1", "authors": [2, 3]}"#, as: "Book", at(5))
    let report = try await store.import(#"{"isbn": "1", "authors": [1, 4]}"#, as: "Book", at(3))
    #expect(report.changedCount == 1)
    #expect(try await authors(store, 2) == ["Author#1", "Author#2"])
    #expect(try await authors(store, 3) == ["Author#1", "Author#4"])
    #expect(try await authors(store, 4) == ["Author#1", "Author#4"])
    #expect(try await Set(authors(store, 5) ?? []) == ["Author#2", "Author#3"])
    #expect(try await store.collection(of: "Book/1", "authors")?.count == 2)
  }

  @Test func `repeating an older import writes nothing and reports that`() async throws {
    let store = try await makeStore()
    let text =
      #"{"isbn": "1", "details": {"title": "A"}, "publisher": {"name": "P"}, "authors": [1]}"#
    try await store.import(text, as: "Book", at(1))
    try await store.import(
      #"{"isbn": "1", "details": {"title": "B"}, "publisher": {"name": "Q"}, "authors": [2]}"#,
      as: "Book",
      at(5)
    )
    let report = try await store.import(text, as: "Book", at(1))
    #expect(report.commit == nil && report.changedCount == 0 && report.createdCount == 0)
    #expect(report.unchangedCount == 2)
    #expect(try await store.require("Book/1")["title"] == "B")
  }

  @Test(arguments: [2, 3])
  func `what was written for a time before the creation is removed by null`(_ time: Int)
    async throws
  {
    let store = try await makeStore()
    try await store.import(#"{"number": 1, "name": "Late"}"#, as: "Author", at(5))
    try await store.set("Author#1", "name", "Stated", at: day(2))
    let text = #"{"number": 1, "name": null}"#
    let report = try await store.import(text, as: "Author", at(time))
    #expect(report.createdCount == 1)
    let then = try await store.asOf(day(4)).require("Author#1")
    #expect(then["name"] == nil && then["number"] == 1)
    #expect(try await store.require("Author#1")["name"] == "Late")
    #expect(try await store.import(text, as: "Author", at(time)).commit == nil)
    // The same value need not be written again.
    let other = try await makeStore()
    try await other.import(#"{"number": 1, "name": "Late"}"#, as: "Author", at(5))
    try await other.set("Author#1", "name", "Stated", at: day(2))
    try await other.import(#"{"number": 1, "name": "Stated"}"#, as: "Author", at(time))
    #expect(try await other.history(of: "Author#1", "name").count == 2)
    #expect(try await other.asOf(day(4)).require("Author#1")["name"] == "Stated")
  }

  @Test func `an entity created later is live from then on, and keeps its later values`()
    async throws
  {
    let store = try await makeStore()
    try await store.import(#"{"number": 1, "name": "Late"}"#, as: "Author", at(5))
    let report = try await store.import(#"{"number": 1, "name": "Early"}"#, as: "Author", at(2))
    #expect(report.createdCount == 1 && report.changedCount == 0)
    #expect(try await store.asOf(day(1)).entity("Author#1") == nil)
    #expect(try await store.asOf(day(2)).require("Author#1")["name"] == "Early")
    #expect(try await store.require("Author#1")["name"] == "Late")
    let again = try await store.import(#"{"number": 1, "name": "Early"}"#, as: "Author", at(2))
    #expect(again.commit == nil && again.unchangedCount == 1)
  }

  @Test func `a complete document ends nothing that was created later`() async throws {
    let store = try await makeStore()
    var mappings = Shop.mappings
    mappings["Author"]?.completeness = .all
    try await store.import("[1]", as: "Author", at(1), by: mappings)
    try await store.import("[1, 2]", as: "Author", at(5), by: mappings)
    let report = try await store.import("[1, 3]", as: "Author", at(3), by: mappings)
    #expect(report.endedCount == 0)
    #expect(try await store.allIDs().count == 3)
  }

  @Test func `a complete document that would end entities with later data is refused`() async throws
  {
    let store = try await makeStore()
    var mappings = Shop.mappings
    mappings["Author"]?.completeness = .all
    try await store.import("[1, 2]", as: "Author", at(1), by: mappings)
    try await store.import(#"[{"number": 1, "name": "A"}, 2]"#, as: "Author", at(5), by: mappings)
    for text in ["[1]", "[2]"] {
      let error = await #expect(throws: VarveError.self) {
        try await store.import(text, as: "Author", at(3), by: mappings)
      }
      #expect(error?.code == .invalidArgument && error?.remedy?.contains("order") == true)
    }
    #expect(try await store.allIDs().count == 2)
  }

  @Test func `dated documents in their order end and change as ever, beside what is of now`()
    async throws
  {
    let store = try await makeStore()
    var mappings = Shop.mappings
    mappings["Author"]?.completeness = .all
    try await store.create("Hat", id: "hat")
    try await store.import("[1, 2]", as: "Author", at(1), by: mappings)
    let report = try await store.import("[2]", as: "Author", at(3), by: mappings)
    #expect(report.endedCount == 1)
    #expect(try await store.asOf(day(2)).entity("Author#1") != nil)
    #expect(try await store.asOf(day(3)).entity("Author#1") == nil)
  }

  @Test func `an entity that ended since is not changed for an earlier time`() async throws {
    let store = try await makeStore()
    try await store.import(#"{"number": 1, "name": "A"}"#, as: "Author", at(1))
    try await store.write(at: day(5)) { try await $0.erase(["Author#1"]) }
    #expect(
      try await store.import(#"{"number": 1, "name": "A"}"#, as: "Author", at(3)).commit == nil
    )
    let error = await #expect(throws: VarveError.self) {
      try await store.import(#"{"number": 1, "name": "B"}"#, as: "Author", at(3))
    }
    #expect(error?.code == .invalidArgument && error?.place == "entity Author#1")
  }

  @Test(arguments: 0..<12)
  func `in any order of documents, each date has the content of its document`(seed: Int)
    async throws
  {
    // All differ, because a document that confirms a value leaves no trace.
    var random = SplitMix64(seed: UInt64(seed))
    let lists = ["1,2", "2,3,4", "", "4,1", "3,2,2,1", "4"].shuffled(using: &random)
    let texts = (0..<5).map { index in
      """
      {"isbn": "1", "details": {"title": "\(index)"}, "publisher": {"name": "P\(index)"},
        "authors": [\(lists[index])], "chapters": null}
      """
    }
    let store = try await makeStore()
    for index in (0..<5).shuffled(using: &random) {
      try await store.import(texts[index], as: "Book", at(index + 1))
    }
    for (index, text) in texts.enumerated() {
      let then = try store.asOf(day(index + 1))
      let alone = try await makeStore()
      try await alone.import(text, as: "Book")
      let (told, wanted) = (try await then.require("Book/1"), try await alone.require("Book/1"))
      #expect(told["title"] == wanted["title"] && told["publisher"] == wanted["publisher"])
      let held = try await then.collection(of: "Book/1", "authors")
      let asked = try await alone.collection(of: "Book/1", "authors")
      #expect(Set(held ?? []) == Set(asked ?? []), "day \(index + 1)")
      #expect(try await store.import(text, as: "Book", at(index + 1)).commit == nil)
    }
    #expect(try await store.check().findings.isEmpty)
  }
}
