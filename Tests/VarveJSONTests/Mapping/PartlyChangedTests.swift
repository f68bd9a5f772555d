import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Documents of which some objects are new, some changed and most unchanged since the last import.
@Suite("A document imported again, partly changed")
struct PartlyChangedTests {
  private static let count = 300

  private static var mappings: Mappings {
    var mappings = Mappings([
      Mapping("Item", identifiedBy: "number") {
        Attribute("number")
        Attribute("name")
        Attribute("price")
        Attribute("isActive")
        Attribute("note")
      }
    ])
    mappings.roots = [.init(as: "Item")]
    return mappings
  }

  /// Returns an array of objects; `change` gives some a name of their own.
  private static func document(_ count: Int, _ change: (Int) -> String?) -> String {
    let objects = (0..<count).map { number in
      let name = change(number) ?? "item \(number)"
      let note = number % 3 == 0 ? "" : #", "note": "of \#(number)""#
      return """
        {"number": \(number), "name": "\(name)", "price": \(number).5, \
        "isActive": \(number % 2 == 0)\(note)}
        """
    }
    return "[\(objects.joined(separator: ","))]"
  }

  private static func take(_ text: String, _ store: Store) async throws -> ImportReport {
    try await store.import(DocumentSource(text: text), by: mappings)
  }

  @Test(arguments: [1, 7, 8, 63, 64, 65, 128, 299, 300])
  func `counts and writes only what differs`(step: Int) async throws {
    let store = try await makeStore()
    _ = try await Self.take(Self.document(Self.count) { _ in nil }, store)
    let changed = (0..<Self.count).filter { $0 % step == 0 }
    let text = Self.document(Self.count + 10) { $0 % step == 0 ? "changed \($0)" : nil }
    let report = try await Self.take(text, store)
    #expect(report.createdCount == 10)
    #expect(report.changedCount == changed.count)
    #expect(report.unchangedCount == Self.count - changed.count)
    for number in 0..<Self.count {
      let name = try await store.require(try EntityID("Item#\(number)"))["name"]
      #expect(name == .string(number % step == 0 ? "changed \(number)" : "item \(number)"))
    }
    #expect(try await Self.take(text, store).commit == nil)
  }

  @Test(arguments: [0, 5, 64, 70, 200])
  func `gives no other entity's row to one that was erased`(erased: Int) async throws {
    let store = try await makeStore()
    let text = Self.document(Self.count) { _ in nil }
    _ = try await Self.take(text, store)
    try await store.erase([try EntityID("Item#\(erased)")])
    let report = try await Self.take(text, store)
    #expect(report.createdCount == 1 && report.unchangedCount == Self.count - 1)
    #expect(try await store.count(Query("Item")) == Self.count)
  }
}
