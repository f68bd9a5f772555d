import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Names and texts whose bytes differ, though Unicode calls them equivalent: each is its own (R1).
@Suite struct EquivalentNameTests {
  private static let composed = "\u{e9}"
  private static let decomposed = "e\u{301}"

  private func mappings(_ attributes: [(String, String)], root: JSON = ["mapping": "T"]) throws
    -> Mappings
  {
    let lines = attributes.map { JSON.Member(name: $0.0, value: .string($0.1)) }
    return try Mappings(
      json: [
        "mappings": ["T": ["id": "k", "attributes": .object(lines)]], "roots": [root],
      ]
    )
  }

  private func object(_ first: JSON, _ second: JSON) -> JSON {
    .object([
      JSON.Member(name: Self.composed, value: first),
      JSON.Member(name: Self.decomposed, value: second),
    ])
  }

  @Test(arguments: ["", "a."])
  func `members are found by their bytes, also in objects in objects, and written so`(
    prefix: String
  ) async throws {
    let mappings = try mappings([
      ("k", "k"), (prefix + Self.composed, "x"), (prefix + Self.decomposed, "y"),
    ])
    guard case .object(let members) = object("one", "two") else { return }
    let key = JSON.Member(name: "k", value: 1)
    let inner = prefix.isEmpty ? members : [JSON.Member(name: "a", value: .object(members))]
    let store = try await makeStore()
    for isStreamed in [true, false] {
      let document: JSON = [.object([key] + inner)]
      let report =
        isStreamed
        ? try await store.import(DocumentSource(text: document.text), by: mappings)
        : try await store.import(document, by: mappings)
      #expect(report.diagnosticCount == 0)
      let entity = try await store.require("T#1")
      #expect(entity["x"] == "one" && entity["y"] == "two")
    }
    let (text, report) = try await store.exported(by: mappings)
    #expect(report.diagnosticCount == 0)
    #expect(try await store.import(DocumentSource(text: text), by: mappings).commit == nil)
    let other = try await makeStore()
    try await other.import([["k": 1, "a": [:]]], by: mappings)
    #expect(try await other.require("T#1")["y"] == nil)
  }

  @Test func `a member of one name is not read by the other`() async throws {
    let mappings = try mappings([("k", "k"), ("a." + Self.decomposed, "y")])
    let store = try await makeStore()
    let inner = JSON.object([JSON.Member(name: Self.composed, value: "one")])
    try await store.import([["k": 1, "a": inner]], by: mappings)
    #expect(try await store.require("T#1")["y"] == nil)
  }

  @Test func `roots and the members of an object of objects are apart`() async throws {
    var mappings = try mappings(
      [("k", "k"), ("v", "v")],
      root: ["mapping": "T", "pointer": .string("/" + Self.composed), "keyedBy": "k"]
    )
    let one = mappings.roots[0]
    let other = try self.mappings(
      [("k", "k")],
      root: ["mapping": "T", "pointer": .string("/" + Self.decomposed), "keyedBy": "k"]
    ).roots[0]
    mappings.roots = [one, other]
    let named = object(["v": 1], ["v": 2])
    let store = try await makeStore()
    try await store.import(DocumentSource(text: object(named, ["z": ["v": 3]]).text), by: mappings)
    let values = try await store.fetch(Query("T")).compactMap { $0["v"]?.intValue }
    #expect(values.sorted() == [1, 2, 3])
    let (text, _) = try await store.exported(by: mappings)
    guard case .object(let members) = try JSONReader.read(text) else {
      Issue.record("\(text)")
      return
    }
    #expect(members.map(\.name.utf8.count) == [2, 3])
  }

  @Test func `values of an enumeration are apart, both ways`() async throws {
    let entries = object("composed", "decomposed")
    let json: JSON = [
      "mappings": [
        "T": ["id": "k", "attributes": ["k": "k", "s": ["to": "s", "transform": "en"]]]
      ],
      "transforms": ["en": ["enumeration": entries]], "roots": [["mapping": "T"]],
    ]
    let mappings = try Mappings(json: json)
    let store = try await makeStore()
    let document: JSON = [
      ["k": 1, "s": .string(Self.composed)], ["k": 2, "s": .string(Self.decomposed)],
    ]
    try await store.import(document, by: mappings)
    #expect(try await store.require("T#1")["s"] == "composed")
    #expect(try await store.require("T#2")["s"] == "decomposed")
    let (text, report) = try await store.exported(by: mappings)
    #expect(report.diagnosticCount == 0)
    #expect(try JSONReader.read(text) == document)
  }

  @Test func `documents are equal if their bytes are`() {
    #expect(JSON.string(Self.composed) != .string(Self.decomposed))
    #expect(object(1, 2) != object(2, 1))
    #expect(object(1, 2)[Self.decomposed] == 2)
  }
}
