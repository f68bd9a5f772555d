import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Loads the examples of `Documentation/Interchange.md`.
@Suite struct DocumentedFormsTests {
  @Test func `every documented document loads entirely, and is written as documented`() async throws
  {
    let documents = try Self.documents()
    #expect(documents.count == 3)
    for (index, text) in documents.enumerated() {
      let store = try await makeStore()
      let report = try await store.load(text)
      #expect(report.importedCount > 0 && report.skipped.isEmpty, "\(text)")
      // The normalized document is complete; the others lack a datestamp or are on one line.
      if index == 1 { #expect(try await store.document(.normalized) == text) }
      if index == 0 { #expect(try await store.records(.compact).isSubset(of: Self.sorted(text))) }
    }
  }

  /// The records of a document, their properties in the order in which they are written.
  private static func sorted(_ text: String) throws -> Set<String> {
    guard case .array(let records)? = try JSONReader.read(text)["entities"] else { return [] }
    return Set(
      records.map { record in
        guard case .object(let members) = record else { return "" }
        let own = members.prefix(3)
        return JSON.object(own + members.dropFirst(3).sorted { $0.name < $1.name }).text
      }
    )
  }

  private static func documents() throws -> [String] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Documentation/Interchange.md")
    let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```json\n")
    return parts.dropFirst().compactMap { $0.components(separatedBy: "```").first }
  }
}
