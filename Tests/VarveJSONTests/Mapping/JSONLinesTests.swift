import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("JSON Lines")
struct JSONLinesTests {
  private func load(
    _ text: String,
    into store: Store,
    _ roots: [Mappings.Root] = [.init(as: "Author")]
  ) async throws -> ImportReport {
    var options = ImportOptions()
    options.roots = roots
    var source = DocumentSource(text: text)
    source.format = .jsonLines
    return try await store.import(source, by: Shop.mappings, options)
  }

  @Test(
    arguments: [
      "{\"number\": 1}\n{\"number\": 2}\n", "{\"number\": 1}\n{\"number\": 2}",
      "\u{FEFF}{\"number\": 1}\r\n\r\n  {\"number\": 2, \"name\": \"a,]\\n\\\"\"}\r\n\n",
      "1\n2\n", "{\"number\": 1,}\n{\"number\": 2}\n", "null\n1\n2",
    ]
  )
  func `are imported as the elements of an array`(text: String) async throws {
    let store = try await makeStore()
    let report = try await load(text, into: store)
    #expect(report.createdCount + report.stubCount == 2 && report.diagnosticCount == 0)
    #expect(try await Set(store.allIDs()) == ["Author#1", "Author#2"])
    #expect(try await load(text, into: store).commit == nil)
  }

  @Test func `without a value end nothing, although the mapping is complete`() async throws {
    let store = try await makeStore()
    let mappings = Mappings([
      Mapping("Author", identifiedBy: "number", complete: .all) { Attribute("number") }
    ])
    func load(_ text: String) async throws -> ImportReport {
      var options = ImportOptions()
      options.roots = [.init(as: "Author")]
      var source = DocumentSource(text: text)
      source.format = .jsonLines
      return try await store.import(source, by: mappings, options)
    }
    #expect(try await load("{\"number\": 1}\n{\"number\": 2}\n").createdCount == 2)
    let empty = try await load("")
    #expect(empty.endedCount == 0 && empty.diagnosticCount == 1)
    #expect(try await load("{\"number\": 2}\n").endedCount == 1)
    #expect(try await store.allIDs() == ["Author#2"])
  }

  @Test(arguments: ["", "\n", " \r\n\n"])
  func `without a value import nothing`(text: String) async throws {
    let store = try await makeStore()
    let report = try await load(text, into: store)
    #expect(report.commit == nil && report.diagnosticCount == 1)
  }

  @Test(
    arguments: [
      ("{\"number\": 1}\n{\"number\": }\n", "line 2"), ("1\n[1\n2]\n", "line 3"),
      ("1\n[1,\n2]\n", "line 2"),
      ("1, 2\n[3\n4]\n", "line 1"), ("1 2\n", "line 1"), ("1\n{\"a\": \"b\nc\"}", "line 2"),
      ("1\n2]\n", "line 2"), ("1\n{\"number\": 2\n", "line 3"),
    ]
  )
  func `that are not one value in each line are refused with their line`(
    text: String,
    line: String
  ) async throws {
    let store = try await makeStore()
    for roots in [[Mappings.Root(as: "Author")], [.init(at: "/books", as: "Book")]] {
      let error = await #expect(throws: VarveError.self) {
        try await load(text, into: store, roots)
      }
      #expect(
        error?.code == .invalidJSON && error?.place?.contains(line) == true,
        "\(error as Any)"
      )
    }
    #expect(try await store.allIDs().isEmpty)
  }

  @Test func `are read piece by piece, and reported with the number of their value`() async throws {
    let count = 40_000
    var lines = (0..<count).map {
      #"{"number": \#($0), "name": "\#(String(repeating: "é", count: 40))"}"#
    }
    lines[30_000] = #"{"number": 30000, "name": {"a": 1}}"#
    let store = try await makeStore()
    let report = try await load(lines.joined(separator: "\n"), into: store)
    #expect(report.createdCount == count)
    #expect(report.diagnostics.map(\.pointer) == ["/30000/name"])
  }

  @Test func `have no parts that roots could name`() async throws {
    let store = try await makeStore()
    let report = try await load("1\n2", into: store, [.init(at: "/authors", as: "Author")])
    #expect(report.commit == nil && report.diagnostics.map(\.pointer) == ["/authors"])
    let keyed = Mappings.Root(as: "Author", keyedBy: "number")
    let other = try await load("1\n2", into: store, [keyed])
    #expect(other.commit == nil && other.diagnosticCount == 1)
  }

  @Test func `are an input of the operation, and no interchange document`() async throws {
    let store = try await makeStore()
    let runner = OperationRunner(store)
    let file: JSON = [
      "op": "registerMappings",
      "file": ["mappings": ["A": ["id": "k", "attributes": ["k": "k"]]]],
    ]
    #expect(await runner.run(file)["ok"] == true)
    let answer = await runner.run([
      "op": "import", "mapping": "A", "lines": "{\"k\": 1}\n{\"k\": 2}",
    ])
    #expect(answer["result"] == ["A#1", "A#2"])
    let both = await runner.run(["op": "import", "mapping": "A", "lines": "1", "text": "1"])
    #expect(both["error"]?["code"] == "invalidOperation")
    let keyed = await runner.run(
      ["op": "import", "mapping": "A", "keyedBy": "k", "json": ["x": [:]]]
    )
    #expect(keyed["result"] == ["A/x"])
    var source = DocumentSource(text: "{}")
    source.format = .jsonLines
    let error = await #expect(throws: VarveError.self) { try await store.load(source) }
    #expect(error?.code == .invalidInterchange)
  }
}
