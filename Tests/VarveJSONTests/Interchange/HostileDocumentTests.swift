import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("An invalid document")
struct HostileDocumentTests {
  /// Documents, with the codes and places of their errors.
  static let documents: [(text: String, code: VarveError.Code, place: String)] = [
    ("", .invalidJSON, "line 1, column 1 (byte 0)"),
    ("  \n ", .invalidJSON, "line 2, column 2 (byte 4)"),
    ("{", .invalidJSON, "line 1, column 2 (byte 1)"),
    ("[1,2]", .invalidInterchange, "line 1, column 1 (byte 0)"),
    ("[1,2", .invalidJSON, "line 1, column 5 (byte 4)"),
    ("7", .invalidInterchange, "line 1, column 1 (byte 0)"),
    ("nonsense", .invalidJSON, "line 1, column 1 (byte 0)"),
    (#"{"entities": {}}"#, .invalidInterchange, "line 1, column 14 (byte 13)"),
    (#"{"entities": null}"#, .invalidInterchange, "line 1, column 14 (byte 13)"),
    (#"{ "entities" : ["#, .invalidJSON, "line 1, column 17 (byte 16)"),
    (#"{"entities": [{"a": 1}"#, .invalidJSON, "line 1, column 23 (byte 22)"),
    (#"{"entities": [{"a": "#, .invalidJSON, "line 1, column 21 (byte 20)"),
    (#"{"entities": [}"#, .invalidJSON, "line 1, column 15 (byte 14)"),
    (#"{"entities": [,]}"#, .invalidJSON, "line 1, column 15 (byte 14)"),
    (#"{"entities": [1,,2]}"#, .invalidJSON, "line 1, column 17 (byte 16)"),
    (#"{"entities": [{"a": 1,,}]}"#, .invalidJSON, "line 1, column 23 (byte 22)"),
    (#"{"entities": []} x"#, .invalidJSON, "line 1, column 18 (byte 17)"),
    (#"{"entities": [], "entities": []}"#, .invalidJSON, "line 1, column 18 (byte 17)"),
    (#"{"entities": [], "commits": []}"#, .invalidInterchange, "line 1, column 29 (byte 28)"),
    ("{\"entities\": [\n{\"é\": 1, \"é\": 2}]}", .invalidJSON, "line 2, column 10 (byte 25)"),
    ("{\"entities\": [{\"a\": [1}]}", .invalidJSON, "line 1, column 23 (byte 22)"),
    (#"{"entities": [{"a": 1e999}]}"#, .invalidJSON, "line 1, column 21 (byte 20)"),
    (#"{"entities": [{"a": 9223372036854775808}]}"#, .invalidJSON, "line 1, column 21 (byte 20)"),
    ("{\"entities\": [{\"a\": \"\0\"}]}", .invalidJSON, "line 1, column 22 (byte 21)"),
    (#"{"entities": [{"a": "\ud800"}]}"#, .invalidJSON, "line 1, column 28 (byte 27)"),
    (#"{'entities': []}"#, .invalidJSON, "line 1, column 2 (byte 1)"),
    (#"{"version": 2, "commits": []}"#, .newerFormat, "line 1, column 13 (byte 12)"),
    (#"{"commits": [5]}"#, .invalidInterchange, "line 1, column 14 (byte 13)"),
    (#"{"commits": [{}]}"#, .invalidInterchange, "line 1, column 14 (byte 13)"),
  ]

  @Test(arguments: documents.indices)
  func `is refused with a code and a place, and leaves nothing behind`(index: Int) async throws {
    let (text, code, place) = Self.documents[index]
    let store = try await makeStore()
    try await store.create("t", id: "a")
    let frontier = try await store.frontier()
    let error = await failure { try await store.load(text) }
    #expect(error?.code == code, "\(text): \(String(describing: error))")
    #expect(error?.place == place, "\(text): \(String(describing: error))")
    #expect(try await store.frontier() == frontier)
  }

  @Test func `content before the fault is not kept`() async throws {
    let store = try await makeStore()
    let records = (0..<5_000).map { "{\"identifier\":\"e\($0)\",\"type\":\"t\",\"x\":\($0)}" }
    let text = "{\"entities\":[" + records.joined(separator: ",\n") + ",\n{\"identifier\":]}"
    let error = await failure { try await store.load(text) }
    #expect(error?.code == .invalidJSON)
    #expect(error?.place?.hasPrefix("line 5001, column 15") == true)
    #expect(try await store.types().isEmpty)
    #expect(try await store.log().isEmpty)
  }

  @Test func `bytes that are not UTF-8 are reported`() async throws {
    let store = try await makeStore()
    let bytes = Array("{\"entities\":[{\"identifier\":\"a".utf8) + [0xFF] + Array("\"}]}".utf8)
    let error = await failure { try await store.load(DocumentSource(bytes: bytes)) }
    #expect(error?.code == .invalidJSON && error?.place == "line 1, column 30 (byte 29)")
  }

  @Test func `nesting has a bound that costs no stack`() async throws {
    let store = try await makeStore()
    let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    for text in [deep, #"{"entities":[{"identifier":"a","type":"t","x":"# + deep + "}]}"] {
      #expect(await failure { try await store.load(text) }?.code == .invalidJSON)
    }
    // As deep as JSON may be, and deeper than a value may.
    let array = String(repeating: #"{"array":["#, count: 600) + String(repeating: "]}", count: 600)
    let report = try await store.load(
      #"{"entities":[{"identifier":"a","type":"t","x":"# + array + "}]}"
    )
    #expect(report.importedCount == 1 && report.skippedCount == 1)
    #expect(try await store.require("a").keys == [])
  }

  @Test func `an invalid property does not affect other properties`() async throws {
    let store = try await makeStore()
    func nested(_ depth: Int) -> String {
      String(repeating: #"{"array":["#, count: depth) + String(repeating: "]}", count: depth)
    }
    let long = String(repeating: "k", count: 65_537)
    let report = try await store.load(
      """
      {"entities":[{"identifier":"a","type":"t","good":1,"deep":\(nested(513)),"fits":\(nested(512)),
        "\(long)":2,"named":{"integer":3,"type":"\(long)"}}]}
      """
    )
    #expect(report.importedCount == 1 && report.createdCount == 1)
    #expect(
      report.skipped.map(\.pointer) == [
        "/entities/0/deep", "/entities/0/\(long)", "/entities/0/named",
      ]
    )
    #expect(report.skipped.map(\.reason).first == "a value is nested more than 512 deep")
    #expect(try await store.require("a").keys == ["fits", "good"])
  }

  @Test func `a number without end is refused before it is read`() async throws {
    let store = try await makeStore()
    var partCount = 0
    let source = DocumentSource {
      partCount += 1
      return partCount == 1
        ? Array("{\"entities\":[{\"x\":".utf8) : [UInt8](repeating: 0x31, count: 1 << 16)
    }
    let error = await failure { try await store.load(source) }
    #expect(error?.code == .invalidJSON && partCount < 10)
  }

  @Test func `unusual texts are loaded unchanged`() async throws {
    let clock = TestClock()
    let store = try await makeStore(clock)
    let long = String(repeating: "k", count: 10_000)
    let odd = [
      "\0", "\"\\/\u{8}\u{7F}\u{2028}", "🧢\u{1F468}\u{200D}\u{1F469}", "e\u{301}é", "", long,
    ]
    for (index, text) in odd.enumerated() {
      let id = try EntityID("id \(index) \(text.prefix(100))")
      try await store.create(EntityType("type " + text), id: id, [PropertyKey(text): .string(text)])
    }
    for form in InterchangeForm.allCases {
      let copy = try await makeStore(clock)
      try await copy.load(try await store.document(form))
      #expect(try await copy.records(.normalized) == store.records(.normalized))
    }
  }

  @Test func `a type beyond its bound skips the record`() async throws {
    let store = try await makeStore()
    let type = String(repeating: "t", count: 70_000)
    let report = try await store.load(
      "{\"entities\":[{\"identifier\":\"a\",\"type\":\"\(type)\",\"x\":1},{\"identifier\":\"b\","
        + "\"type\":\"t\"}]}"
    )
    #expect(report.importedCount == 1 && report.skipped.map(\.pointer) == ["/entities/0"])
  }

  @Test func `endless faults are counted, not all listed`() async throws {
    let store = try await makeStore()
    let text = "{\"entities\":[" + String(repeating: "0,", count: 3_000) + "]}"
    let report = try await store.load(text)
    #expect(report.skippedCount == 3_000)
    #expect(report.skipped.count == LoadReport.listedSkippedCount)
  }
}
