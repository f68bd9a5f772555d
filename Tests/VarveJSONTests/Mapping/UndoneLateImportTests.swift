import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Imports for dates before others, each undone and done again. A relation that declares ownership
/// is refused for a date before its last change, so these declare none.
@Suite struct UndoneLateImportTests {
  private static let file: JSON = [
    "mappings": [
      "T": [
        "id": "k", "attributes": ["k": "k", "p": "p"],
        "relationships": [
          ["from": "parts", "mapping": "T", "policy": "replace", "many": "list"],
          ["from": "seen", "mapping": "T", "policy": "replace", "many": "list"],
        ],
      ]
    ],
    "roots": [["mapping": "T"]],
  ]

  private func year(_ year: Int) -> Date {
    Date(timeIntervalSince1970: Double(year - 1970) * 31_557_600)
  }

  /// What a reader sees of an entity in years, and at present.
  private func pictures(_ store: Store) async throws -> [String] {
    var pictures: [String] = []
    for year in 2010...2016 {
      pictures.append(try await picture(store.asOf(self.year(year) + 86_400)))
    }
    return pictures + [try await picture(store)]
  }

  private func picture(_ state: some Reading) async throws -> String {
    var lines: [String] = []
    for id in ["T/a", "T/b", "T/c"] as [EntityID] {
      let entity = try await state.entity(id)
      let parts = try await state.collection(of: id, "parts")
      let seen = try await state.collection(of: id, "seen")
      lines.append("\(id) \(entity?["p"]?.description ?? "-") \(parts ?? []) \(seen ?? [])")
    }
    return lines.joined(separator: "; ")
  }

  /// Undoes a commit, then its undo, and so on. Each must leave the next of some pictures and skip
  /// nothing.
  @discardableResult
  private func undoInTurn(
    _ commit: CommitSummary,
    in store: Store,
    expecting expected: [[String]]
  ) async throws -> [UndoReport] {
    var reports: [UndoReport] = []
    var last = commit
    for picture in expected {
      let report = try await store.undo(last.id)
      #expect(report.skipped == [])
      #expect(try await pictures(store) == picture)
      last = try #require(report.commit)
      reports.append(report)
    }
    return reports
  }

  private func document(_ value: Int64, _ parts: [String], _ seen: [String]) -> JSON {
    [
      [
        "k": "a", "p": .integer(value), "parts": .array(parts.map { .string($0) }),
        "seen": .array(seen.map { .string($0) }),
      ], ["k": "b"], ["k": "c"],
    ]
  }

  @Test func `an import for a date that a later one bounds is undone and done again`() async throws
  {
    let store = try await makeStore(TestClock())
    let mappings = try Mappings(json: Self.file)
    var options = ImportOptions()
    let imports: [(Int, JSON)] = [
      (2010, document(1, [], [])), (2014, document(2, ["b"], [])),
      (2012, document(3, ["c", "b"], ["b", "c"])), (2013, document(4, [], ["c"])),
      (2011, document(5, ["b"], ["c", "b"])),
    ]
    for (year, document) in imports {
      options.time = self.year(year)
      let before = try await pictures(store)
      let commit = try #require(try await store.import(document, by: mappings, options).commit)
      guard year > 2010 else { continue }
      let after = try await pictures(store)
      try await undoInTurn(commit, in: store, expecting: [before, after, before, after])
    }
    #expect(try await store.check().findings == [])
  }

  @Test func `an import for a date before an entity was created is undone, and the entity stays`()
    async throws
  {
    let store = try await makeStore(TestClock())
    let mappings = try Mappings(json: Self.file)
    var options = ImportOptions()
    let imports: [(Int, JSON)] = [
      (2015, document(1, ["b"], [])), (2013, document(2, [], ["c"])),
      (2011, document(3, ["c"], ["b"])), (2012, document(4, ["b", "c"], [])),
    ]
    for (year, document) in imports {
      options.time = self.year(year)
      let before = try await pictures(store)
      let commit = try #require(try await store.import(document, by: mappings, options).commit)
      guard year < 2015 else { continue }
      let after = try await pictures(store)
      let pictures = [before, after, before, after]
      let reports = try await undoInTurn(commit, in: store, expecting: pictures)
      #expect(reports.allSatisfy { $0.erased.isEmpty })
    }
    #expect(try await store.check().findings == [])
  }

  @Test func `what only the earlier import gave an entity goes with its undo`() async throws {
    let store = try await makeStore(TestClock())
    let mappings = try Mappings(json: [
      "mappings": ["T": ["id": "k", "attributes": ["k": "k", "p": "p", "q": "q"]]],
      "roots": [["mapping": "T"]],
    ])
    try await store.import([["k": "a", "p": 5]], by: mappings)
    var options = ImportOptions()
    options.time = year(2011)
    let commit = try await store.import([["k": "a", "p": 4, "q": 1]], by: mappings, options)
      .commit
    #expect(try await store.require("T/a")["q"] == 1)
    try await store.undo(try #require(commit).id)
    let entity = try await store.require("T/a")
    #expect(entity["p"] == 5 && entity["q"] == nil)
    #expect(try await store.asOf(year(2012)).entity("T/a") == nil)
    #expect(try await store.conflicts().isEmpty)
  }

  @Test func `an import is undone at its date, also after an erasure that was undone`() async throws
  {
    let store = try await makeStore(TestClock())
    let mappings = try Mappings(json: Self.file)
    let empty = try await pictures(store)
    var options = ImportOptions()
    options.time = year(2011)
    let document = document(1, ["b"], ["c"])
    let commit = try #require(try await store.import(document, by: mappings, options).commit)
    let full = try await pictures(store)
    try await store.erase(["T/a", "T/b", "T/c"])
    let erased = try #require(try await store.log(limit: 1).first)
    try await store.undo(erased.id)
    #expect(try await pictures(store) == full)
    try await undoInTurn(commit, in: store, expecting: [empty, full, empty])
    #expect(try await store.check().findings == [])
  }
}
