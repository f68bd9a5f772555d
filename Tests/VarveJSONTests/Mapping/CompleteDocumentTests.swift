import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("Complete documents and dry runs")
struct CompleteDocumentTests {
  private func complete(_ completeness: Mapping.Completeness) -> Mappings {
    var mappings = Shop.mappings
    mappings["Author"]?.completeness = completeness
    return mappings
  }

  @Test func `entities that a complete document omits end, and a dry run counts them first`()
    async throws
  {
    let store = try await makeStore()
    let mappings = complete(.all)
    try await store.import("[1, 2, 3]", as: "Author", by: mappings)
    let text = #"[{"number": 2, "name": "Ben"}, {"number": 4}]"#
    let dry = try await store.import(text, as: "Author", { $0.isDryRun = true }, by: mappings)
    #expect(dry.endedCount == 2 && dry.createdCount == 1 && dry.changedCount == 1)
    #expect(dry.commit == nil)
    let told = dry.changes.map { "\($0.id) \($0.kind.rawValue)" }
    #expect(
      told.sorted()
        == ["Author#1 ended", "Author#2 changed", "Author#3 ended", "Author#4 created"]
    )
    #expect(dry.changes.first { $0.kind == .changed }?.properties["name"]?.new == "Ben")
    #expect(try await store.commitCount == 1)
    #expect(try await store.count(Query("Author")) == 3)
    let report = try await store.import(text, as: "Author", by: mappings)
    #expect(report.endedCount == 2)
    #expect(try await store.allIDs() == ["Author#2", "Author#4"])
  }

  @Test func `a document complete for a filter ends only entities that satisfy it`() async throws {
    let store = try await makeStore()
    try await store.import("[1, 2, 3]", as: "Author")
    let mappings = complete(.matching(Field("number") > 1))
    try await store.import("[2]", as: "Author", by: mappings)
    #expect(try await store.allIDs() == ["Author#1", "Author#2"])
  }

  @Test(arguments: [
    #"{"error": "rate limited"}"#, "{}", #"[{"number": null}]"#, "[1, {}]", "[null]",
  ])
  func `nothing ends by an object without its identity`(text: String) async throws {
    let store = try await makeStore()
    try await store.import("[1, 2]", as: "Author")
    let report = try await store.import(text, as: "Author", by: complete(.all))
    #expect(report.endedCount == 0)
    // An object of which nothing is mapped is reported too.
    let isForeign = text.contains("{}") || text.contains("error")
    #expect(report.diagnosticCount == (isForeign ? 2 : 1))
    #expect(try await store.allIDs().prefix(2) == ["Author#1", "Author#2"])
  }

  @Test(arguments: [#""error""#, "7", "true", #"{"authors": "error"}"#])
  func `a lone text or number in place of a complete list makes no stub, and ends nothing`(
    text: String
  ) async throws {
    let store = try await makeStore()
    try await store.import("[1, 2]", as: "Author")
    var mappings = complete(.all)
    mappings.roots = [.init(at: text.hasPrefix("{") ? "/authors" : "", as: "Author")]
    let report = try await store.import(DocumentSource(text: text), by: mappings)
    #expect(report.commit == nil && report.endedCount == 0 && report.stubCount == 0)
    #expect(report.diagnostics.first?.reason.contains("complete list") == true)
    #expect(try await store.allIDs() == ["Author#1", "Author#2"])
  }

  @Test func `nothing ends if one of two parts is missing`() async throws {
    let store = try await makeStore()
    try await store.import("[1, 2]", as: "Author")
    var mappings = complete(.all)
    mappings.roots = [.init(at: "/x", as: "Author"), .init(at: "/y", as: "Author")]
    let report = try await store.import(
      DocumentSource(text: #"{"x": [1]}"#),
      by: mappings
    )
    #expect(report.endedCount == 0)
    #expect(try await store.allIDs() == ["Author#1", "Author#2"])
  }

  @Test func `nothing ends if an object could not be identified`() async throws {
    let store = try await makeStore()
    var mappings = complete(.all)
    mappings["Author"]?.types = ["number": .int]
    try await store.import("[1, 2]", as: "Author", by: mappings)
    let report = try await store.import(#"[1, {"number": "two"}]"#, as: "Author", by: mappings)
    #expect(report.endedCount == 0 && report.diagnosticCount == 2)
    #expect(try await store.entity("Author#2") != nil)
  }

  @Test func `nothing ends if the part of the document is missing or null`() async throws {
    let store = try await makeStore()
    var mappings = complete(.all)
    mappings.roots = [.init(at: "/authors", as: "Author")]
    for text in [#"{"authors": [1]}"#, #"{"authors": null}"#, #"{}"#] {
      try await store.import(DocumentSource(text: text), by: mappings)
    }
    #expect(try await store.count(Query("Author")) == 1)
    try await store.import(DocumentSource(text: #"{"authors": []}"#), by: mappings)
    #expect(try await store.count(Query("Author")) == 0)
  }

  @Test func `a dry run notifies no hook and no observer`() async throws {
    let store = try await makeStore()
    try await store.import("[1]", as: "Author")
    store.willErase { _, _ in throw VarveError(.hookRefused, "no") }
    let changes = try await store.changes()
    let report = try await store.import(
      "[]",
      as: "Author",
      { $0.isDryRun = true },
      by: complete(.all)
    )
    #expect(report.endedCount == 1 && changes.poll() == nil)
  }

  @Test func `an import is reported to observers once, as an import`() async throws {
    let store = try await makeStore()
    let changes = try await store.changes()
    try await store.import(#"[{"number": 1}, {"number": 2}]"#, as: "Author")
    let told = try #require(changes.poll())
    #expect(told.action == .import && told.added == ["Author#1", "Author#2"])
    #expect(changes.poll() == nil)
  }
}
