import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("A document imported again")
struct ReimportTests {
  /// Imports random documents, each twice.
  static func rounds(_ seeds: Range<UInt64>) async throws {
    for seed in seeds {
      do {
        try await importTwice(seed)
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }

  private static func importTwice(_ seed: UInt64) async throws {
    var random = RandomMappings(seed: seed)
    let file = random.file(isPlain: seed % 2 == 0)
    let mappings = try Mappings(json: file)
    let store = try await makeStore()
    for _ in 0..<4 {
      let document = random.document()
      try await store.import(document, by: mappings)
      var options = ImportOptions()
      options.isDryRun = true
      let change = try await store.import(document, by: mappings, options)
      guard try await store.import(document, by: mappings).commit != nil else { continue }
      throw VarveError(
        .invalidArgument,
        "\(document.text)\n\(file.text)\n\(change.changes)"
      )
    }
  }

  @Test func `makes no commit, whatever the mappings and policies`() async throws {
    try await Self.rounds(0..<60)
  }

  @Test(
    arguments: [
      #"[{"isbn": 1, "authors": [1]}, {"isbn": 1, "authors": []}]"#,
      #"[{"isbn": 1, "authors": [1]}, {"isbn": 1, "authors": null}]"#,
      #"[{"isbn": 1, "editor": 1}, {"isbn": 1, "editor": 2}]"#,
      #"[{"isbn": 1, "editor": 1}, {"isbn": 1, "editor": null}]"#,
    ]
  )
  func `takes back an inverse for an erased entity that the document names twice`(
    document: String
  ) async throws {
    let mappings = Mappings([
      Mapping("Book", identifiedBy: "isbn") {
        Attribute("isbn")
        ToMany(ids: "authors", of: "Author", as: .set).inverse("book")
        ToOne(id: "editor", of: "Author").inverse("book")
      },
      Mapping("Author", identifiedBy: "number") { Attribute("number") },
    ])
    let store = try await makeStore()
    var options = ImportOptions()
    options.roots = [.init(as: "Book")]
    let first = #"[{"isbn": 1, "authors": [1], "editor": 1}]"#
    try await store.import(DocumentSource(text: first), by: mappings, options)
    #expect(try await store.require("Author#1")["book"] == .reference("Book#1"))
    try await store.erase("Book#1")
    try await store.import(DocumentSource(text: document), by: mappings, options)
    #expect(try await store.require("Author#1")["book"] == nil)
    let again = try await store.import(DocumentSource(text: document), by: mappings, options)
    #expect(again.commit == nil)
  }

  @Test func `replace spares the entities that the document describes`() async throws {
    let store = try await makeStore()
    let author = #"{"number": 1, "name": "Ann"}"#
    try await store.import("[\(author)]", as: "Author")
    try await store.import(#"{"isbn": "1", "authors": [1]}"#, as: "Book")
    var options = ImportOptions()
    options.roots = [.init(at: "/books", as: "Book"), .init(at: "/authors", as: "Author")]
    options.policies["authors"] = .replace
    let text = #"{"books": [{"isbn": "1", "authors": [2]}], "authors": [\#(author)]}"#
    let report = try await store.import(DocumentSource(text: text), by: Shop.mappings, options)
    #expect(report.endedCount == 0)
    #expect(try await store.require("Author#1")["name"] == "Ann")
    let again = try await store.import(DocumentSource(text: text), by: Shop.mappings, options)
    #expect(again.commit == nil)
  }

  @Test func `an entity the document describes outlives an owner that the document ends`()
    async throws
  {
    let store = try await makeStore()
    try await store.import(#"{"isbn": "1", "publisher": {"name": "A"}}"#, as: "Book")
    try await store.import(#"[{"number": 1}]"#, as: "Author")
    try await store.relate("Publisher/A", .owns, "Author#1")
    let text = #"{"isbn": "1", "publisher": {"name": "B"}, "authors": [1]}"#
    let replace: (inout ImportOptions) -> Void = { $0.policies["publisher"] = .replace }
    try await store.import(text, as: "Book", replace)
    #expect(try await store.entity("Publisher/A") == nil)
    #expect(try await store.entity("Author#1") != nil)
    #expect(try await store.import(text, as: "Book", replace).commit == nil)
  }

  @Test func `merge into a list keeps the repetitions of a document`() async throws {
    let store = try await makeStore()
    var mappings = Shop.mappings
    mappings["Chapter"]?.identification = "title"
    let merge: (inout ImportOptions) -> Void = { $0.policies["chapters"] = .merge }
    let text = #"{"isbn": "1", "chapters": ["a", "b", "a"]}"#
    for _ in 0..<2 {
      try await store.import(text, as: "Book", merge, by: mappings)
      #expect(
        try await store.collection(of: "Book/1", "chapters")
          == ["Chapter/a", "Chapter/b", "Chapter/a"]
      )
    }
    #expect(try await store.commitCount == 1)
    let more = #"{"isbn": "1", "chapters": ["b", "b", "c"]}"#
    try await store.import(more, as: "Book", merge, by: mappings)
    #expect(
      try await store.collection(of: "Book/1", "chapters")
        == ["Chapter/a", "Chapter/b", "Chapter/a", "Chapter/b", "Chapter/c"]
    )
  }

  @Test func `a missing key clears a property even if its path is blocked by another value`()
    async throws
  {
    let store = try await makeStore()
    var mappings = Shop.mappings
    mappings["Book"]?.clearsMissing = true
    let text = #"{"isbn": "1", "details": {"title": "T"}, "publisher": {"name": "A"}}"#
    try await store.import(text, as: "Book", by: mappings)
    let report = try await store.import(
      #"{"isbn": "1", "details": 5, "publisher": {"name": "A"}}"#,
      as: "Book",
      by: mappings
    )
    #expect(try await store.require("Book/1")["title"] == nil)
    #expect(report.diagnosticCount == 2)
  }
}

/// Minutes of it, for `make soak`.
@Suite(
  "Soak: documents imported and exported",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct MappingSoakTests {
  @Test func `importing again makes no commit`() async throws {
    try await ReimportTests.rounds(1_000..<20_000)
  }

  @Test func `importing an exported document changes nothing that was not reported`() async throws {
    try await ExportRoundTripTests.rounds(1_000..<20_000)
  }
}
