import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Documents that are read in several parts, which are about a megabyte each.
@Suite("Imports of long documents")
struct LongDocumentTests {
  private static let count = 30_000
  private static let name = #"\"],[{\\\" \u00e9 \\"#

  /// More than two megabytes, one object per line, full of text that looks like the end of a value.
  private static func document(end: String) -> String {
    var text = "["
    for number in 0..<count {
      text += number == 0 ? "\n" : ",\n"
      text += #"{"number":\#(number),"note":{"a":[[1,"}]"],{}]},"name":"\#(name)\#(number)"}"#
    }
    return text + end
  }

  @Test func `parts end between objects, whatever texts contain`() async throws {
    for end in ["\n]\n", ",\n]"] {
      let store = try await makeStore()
      let report = try await store.import(Self.document(end: end), as: "Author")
      #expect(report.createdCount == Self.count && report.diagnosticCount == 0)
      #expect(report.ids.last == "Author#29999")
      #expect(try await store.require("Author#29999")["name"] == #""],[{\" é \29999"#)
      #expect(try await store.count(Query("Author")) == Self.count)
    }
  }

  @Test func `an error in a late part is reported with its place, and nothing is written`()
    async throws
  {
    for (end, place) in [
      (",\n{\"number\": 1}, x\n]", "line 30002, column 16"),
      (",\n{\"number\": 1}", "line 30002, column 14"),
      ("\n}", "line 30002, column 1"),
    ] {
      let store = try await makeStore()
      do {
        try await store.import(Self.document(end: end), as: "Author")
        Issue.record("\(end) is no end")
      } catch let error as VarveError {
        #expect(error.code == .invalidJSON)
        #expect(error.place?.hasPrefix(place) == true, "\(end): \(error.place ?? "")")
      }
      #expect(try await store.allIDs().isEmpty)
    }
  }

  @Test func `a repeated name in a late part is reported with its place`() async throws {
    let store = try await makeStore()
    let end = ",\n{\"number\": 1, \"number\": 2}\n]"
    let report = try await store.import(Self.document(end: end), as: "Author")
    #expect(report.diagnostics.map(\.pointer) == ["/30000/number"])
    #expect(report.diagnostics.first?.reason.contains("line 30002, column 15") == true)
    #expect(report.ids.last == "Author#2")
  }

  @Test func `an object met in several parts is one entity, and its relations hold`() async throws {
    let store = try await makeStore()
    let padding = String(repeating: "x", count: 2_000)
    let books = (0..<1_500).map {
      #"{"isbn":"\#($0)","details":{"title":"\#(padding)"},"publisher":{"name":"P"},"authors":[7]}"#
    }
    let text = "[" + books.joined(separator: ",") + "]"
    let report = try await store.import(text, as: "Book")
    #expect(report.byType["Publisher"]?.created == 1 && report.stubCount == 1)
    #expect(try await store.count(Query("Publisher")) == 1)
    #expect(try await store.require("Book/1499")["publisher"] == .reference("Publisher/P"))
    #expect(try await store.collection(of: "Book/1499", "authors") == ["Author#7"])
    #expect(try await store.import(text, as: "Book").commit == nil)
  }
}
