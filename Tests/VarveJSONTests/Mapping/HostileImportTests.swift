import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("Bad documents for imports")
struct HostileImportTests {
  private func refused(_ bytes: [UInt8], at pointer: String = "") async throws -> VarveError? {
    let store = try await makeStore()
    var options = ImportOptions()
    options.roots = [.init(at: pointer, as: "Author")]
    do {
      try await store.import(DocumentSource(bytes: bytes), by: Shop.mappings, options)
      return nil
    } catch let error as VarveError {
      #expect(try await store.allIDs().isEmpty)
      #expect(try await store.commitCount == 0)
      return error
    }
  }

  private func refused(_ text: String) async throws -> VarveError? {
    try await refused(Array(text.utf8))
  }

  @Test func `what is no JSON is told with its place, and nothing is written`() async throws {
    let documents: [(String, String)] = [
      (#"[{"number": 1}, {"number": "#, "line 1, column 28"),
      (#"[{"number": 1}"#, "line 1, column 15"),
      (#"[{"number": 99999999999999999999}]"#, "line 1, column 13"),
      (#"[{"number": 1e999}]"#, "line 1, column 13"),
      ("[{\"number\": 1}]\n[]", "line 2, column 1"),
      ("", "line 1, column 1"),
    ]
    for (text, place) in documents {
      let error = try #require(try await refused(text), "\(text)")
      #expect(error.code == .invalidJSON, "\(text)")
      #expect(error.place?.hasPrefix(place) == true, "\(text): \(error.place ?? "")")
    }
  }

  @Test func `bytes that are no UTF-8 are told with their place`() async throws {
    let bytes = Array(#"[{"number": 1, "name": ""#.utf8) + [0xFF] + Array("\"}]".utf8)
    let error = try #require(try await refused(bytes))
    #expect(error.code == .invalidJSON && error.place?.contains("(byte 24)") == true)
  }

  @Test func `what no root names has to be JSON too`() async throws {
    let long = String(repeating: #"{"a": [1, "x"]},"#, count: 100_000)
    let parts: [(String, String)] = [
      (#""\u12""#, "line 1, column"), ("[01]", "line 1, column"), ("[1, 2 3]", "line 1, column"),
      ("[99999999999999999999]", "line 1, column"),
      ("[\(long)\n{\"a\": nul}]", "line 2, column 7"),
      ("{\"big\": [\(long)1],\n\"b\": tru}", "line 2, column"),
    ]
    for (part, place) in parts {
      for text in [#"{"other": \#(part), "authors": []}"#, #"{"authors": [], "other": \#(part)}"#] {
        let error = try #require(try await refused(Array(text.utf8), at: "/authors"), "\(place)")
        #expect(error.code == .invalidJSON, "\(part.prefix(40))")
        #expect(error.place?.hasPrefix(place) == true, "\(part.suffix(20)): \(error.place ?? "")")
      }
    }
    let bytes = Array(#"{"other": ""#.utf8) + [0xC3, 0x28] + Array(#"", "authors": []}"#.utf8)
    let error = try #require(try await refused(bytes, at: "/authors"))
    #expect(error.code == .invalidJSON && error.place?.contains("(byte 11)") == true)
    let fine = "{\"other\": {\"list\": [\(long)1,], \"b\": 2}, \"authors\": [1]}"
    #expect(try await refused(Array(fine.utf8), at: "/authors") == nil)
  }

  @Test func `10,000 brackets are refused`() async throws {
    let depth = 10_000
    let text = "[" + String(repeating: #"{"name":["#, count: depth)
    let error = try #require(try await refused(text))
    #expect(error.code == .invalidJSON && error.message.contains("too deep"))
  }

  @Test func `a relation nested as deep as a document may be is followed`() async throws {
    let store = try await makeStore()
    let node = Mapping("Node", identifiedBy: "n") {
      Attribute("n")
      ToOne("next", of: "Node")
    }
    let depth = JSONReader.maximumDepth
    let text =
      (0..<depth).map { "{\"n\":\($0),\"next\":" }.joined() + "null"
      + String(repeating: "}", count: depth)
    let report = try await store.import(text, as: "Node", by: Mappings([node]))
    #expect(report.createdCount == depth)
    #expect(try await store.require("Node#7")["next"] == .reference("Node#8"))
  }

  @Test func `a trailing comma is let pass`() async throws {
    let store = try await makeStore()
    try await store.import(#"[{"number": 1,}, {"number": 2},]"#, as: "Author")
    #expect(try await store.count(Query("Author")) == 2)
  }

  @Test func `what is no object is told, and the rest is taken`() async throws {
    let store = try await makeStore()
    let report = try await store.import(
      #"[{"number": 1}, [2], {"number": [3]}, null]"#,
      as: "Author"
    )
    #expect(report.diagnostics.map(\.pointer) == ["/1", "/2/number"])
    // The third has no identity, and is an object all the same.
    #expect(report.createdCount == 2)
  }
}
