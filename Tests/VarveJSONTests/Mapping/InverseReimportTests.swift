import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("A document with relations and their inverses, imported again")
struct InverseReimportTests {
  private static let mappings: JSON = [
    "mappings": [
      "Author": [
        "id": "id", "attributes": ["id": "id"],
        "relationships": [
          ["from": "books", "to": "books", "mapping": "Book", "many": "list", "inverse": "author"]
        ],
      ],
      "Book": [
        "id": "id", "missing": "clears", "attributes": ["id": "id"],
        "relationships": [
          ["fromIds": "author", "to": "author", "mapping": "Author", "inverse": "books"]
        ],
      ],
    ],
    "roots": [
      ["pointer": "/authors", "mapping": "Author"], ["pointer": "/books", "mapping": "Book"],
    ],
  ]

  @Test(
    arguments: [
      #"{"authors": [{"id": "ann", "books": [{"id": "b1"}]}]}"#,
      #"{"authors": [{"id": "ann", "books": ["b1"]}], "books": [{"id": "b1"}]}"#,
      #"{"books": [{"id": "b1"}], "authors": [{"id": "ann", "books": ["b1"]}]}"#,
      #"{"authors": [{"id": "ann", "books": []}], "books": [{"id": "b1", "author": "ann"}]}"#,
    ],
    [nil, "2010-01-01T00:00:00Z"] as [String?]
  )
  func `keeps the relations that it states on one side`(document: String, time: String?)
    async throws
  {
    let mappings = try Mappings(json: Self.mappings)
    let store = try await makeStore()
    var options = ImportOptions()
    options.time = try time.map { try .iso($0) }
    if time != nil { try await store.create("Note", id: "later") }
    for round in 1...3 {
      let source = DocumentSource(text: document)
      let report = try await store.import(source, by: mappings, options)
      #expect((report.commit != nil) == (round == 1), "the \(round). time: \(report)")
      let books = try await store.collection(of: "Author/ann", "books")
      #expect(books == ["Book/b1"], "the \(round). time")
      #expect(try await store.require("Book/b1")["author"] == .reference("Author/ann"))
    }
  }

  @Test func `moves an element whose new holder alone is described`() async throws {
    let mappings = try Mappings(json: Self.mappings)
    let store = try await makeStore()
    let first = #"{"authors": [{"id": "ann", "books": ["b1", "b2"]}]}"#
    try await store.import(DocumentSource(text: first), by: mappings)
    let second = #"{"authors": [{"id": "bob", "books": ["b2"]}]}"#
    for _ in 0..<2 { try await store.import(DocumentSource(text: second), by: mappings) }
    #expect(try await store.collection(of: "Author/ann", "books") == ["Book/b1"])
    #expect(try await store.collection(of: "Author/bob", "books") == ["Book/b2"])
    #expect(try await store.require("Book/b2")["author"] == .reference("Author/bob"))
  }

  @Test func `keeps what more objects state than changes are remembered`() async throws {
    let mappings = try Mappings(json: Self.mappings)
    let store = try await makeStore()
    let ids = (0..<20_000).map { #""b\#($0)""# }
    let books = ids.map { #"{"id": \#($0)}"# }
    let text =
      #"{"authors": [{"id": "ann", "books": [\#(ids.joined(separator: ","))]}], "#
      + #""books": [\#(books.joined(separator: ","))]}"#
    try await store.import(DocumentSource(text: text), by: mappings)
    #expect(try await store.collection(of: "Author/ann", "books")?.count == 20_000)
    #expect(try await store.import(DocumentSource(text: text), by: mappings).commit == nil)
  }

  @Test func `keeps a reference that an attribute states`() async throws {
    let mappings = try Mappings(
      json: [
        "mappings": [
          "Team": [
            "id": "id", "attributes": ["id": "id"],
            "relationships": [
              ["fromIds": "players", "mapping": "Player", "many": "set", "inverse": "team"]
            ],
          ],
          "Player": [
            "id": "id", "attributes": ["id": "id", "team": "team"], "types": ["team": "entity"],
          ],
        ],
        "roots": [["pointer": "/p", "mapping": "Player"], ["pointer": "/t", "mapping": "Team"]],
      ]
    )
    let store = try await makeStore()
    let first = #"{"t": [{"id": "t1", "players": ["p1"]}]}"#
    try await store.import(DocumentSource(text: first), by: mappings)
    let second = #"{"p": [{"id": "p1", "team": "Team/t1"}], "t": [{"id": "t1", "players": []}]}"#
    for _ in 0..<2 {
      try await store.import(DocumentSource(text: second), by: mappings)
      #expect(try await store.require("Player/p1")["team"] == .reference("Team/t1"))
    }
    #expect(try await store.import(DocumentSource(text: second), by: mappings).commit == nil)
  }

  /// Imports random documents by configurations; stops at the first that goes wrong.
  static func rounds(_ configurations: [[Int]], seed: UInt64) async throws {
    for (index, choices) in configurations.enumerated() {
      let configuration = InverseTrial.Configuration(choices: choices)
      var trial = InverseTrial(configuration, seed: seed + UInt64(index))
      do {
        try await trial.run()
      } catch {
        Issue.record("seed \(seed + UInt64(index)), \(choices): \(configuration)\n\(error)")
        return
      }
    }
  }

  @Test func `has the effect that its definition says, by each pair of choices`() async throws {
    for seed in 0..<4 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      try await Self.rounds(
        Choices.pairs(InverseTrial.Configuration.counts, &random),
        seed: seed * 1_000
      )
    }
  }
}

@Suite(
  "Soak: documents with relations and their inverses, imported again",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct InverseReimportSoakTests {
  @Test(arguments: 0..<8)
  func `have the effect that their definition says`(part: Int) async throws {
    let all = Choices.all(InverseTrial.Configuration.counts)
    let own = all.indices.filter { $0 % 8 == part }.map { all[$0] }
    for seed in 1...2 as ClosedRange<UInt64> {
      try await InverseReimportTests.rounds(own, seed: seed * 1_000_000)
    }
  }
}
