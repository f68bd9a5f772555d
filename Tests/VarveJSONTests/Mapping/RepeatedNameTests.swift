import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("A name twice in an object of a document")
struct RepeatedNameTests {
  private static let mapping = Mapping("T", identifiedBy: "k") {
    Attribute("k")
    Attribute("p")
    Attribute("in.q", to: "q")
  }

  private func options(at pointer: String = "") -> ImportOptions {
    var options = ImportOptions()
    options.roots = [.init(at: pointer, as: "T")]
    return options
  }

  private func report(of text: String, at pointer: String = "", in store: Store) async throws
    -> ImportReport
  {
    try await store.import(
      DocumentSource(text: text),
      by: Mappings([Self.mapping]),
      options(at: pointer)
    )
  }

  @Test func `counts the last time, and the report says where`() async throws {
    let texts = [
      #"[{"k": 1},\n {"k": 2, "p": 1, "p": 2, "in": {"q": 1, "q": 3}}]"#,
      #"[{"k": 1},\n {"k": 9, "k": 2, "p": {"x": 1}, "in": {"q": 1, "q": 3}, "p": 2},]"#,
    ]
    for text in texts {
      let store = try await makeStore()
      let report = try await report(of: text.replacing(#"\n"#, with: "\n"), in: store)
      #expect(report.ids == ["T#1", "T#2"])
      let entity = try await store.require("T#2")
      #expect(entity["p"] == 2)
      #expect(entity["q"] == 3)
      #expect(report.diagnostics.contains { $0.pointer == "/1/p" })
      #expect(report.diagnostics.contains { $0.pointer == "/1/in/q" })
      #expect(report.diagnostics.allSatisfy { $0.reason.contains("line 2, column ") })
    }
  }

  @Test func `counts in a document of one object, and does no harm where no root is`() async throws
  {
    let store = try await makeStore()
    let one = try await report(of: #"{"k": 1, "p": 1, "p": 2}"#, in: store)
    #expect(one.diagnostics.map(\.pointer) == ["/p"])
    #expect(try await store.require("T#1")["p"] == 2)
    let other = try await report(
      of: #"{"x": {"a": 1, "a": 2}, "x": 1, "all": [{"k": 2}], "x": 2}"#,
      at: "/all",
      in: store
    )
    #expect(other.diagnostics.isEmpty)
    #expect(other.ids == ["T#2"])
  }

  @Test func `is refused on the way to what is imported, which is read once`() async throws {
    let store = try await makeStore()
    let text = #"{"all": [{"k": 1}], "all": [{"k": 2}]}"#
    await #expect(throws: VarveError.self) {
      try await report(of: text, at: "/all", in: store)
    }
    #expect(try await store.log().isEmpty)
  }

  @Test func `is refused in operations and interchange documents`() async throws {
    let store = try await makeStore()
    let answer = await OperationRunner(store).answer(
      line: Array(#"{"op":"all","op":"types"}"#.utf8),
      number: 1
    )
    #expect(answer["ok"] == false)
    let text = #"{"entities": [{"identifier": "a", "type": "T", "p": 1, "p": 2}]}"#
    await #expect(throws: VarveError.self) {
      try await store.load(DocumentSource(text: text))
    }
  }
}
