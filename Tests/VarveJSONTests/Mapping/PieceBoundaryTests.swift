import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Documents of several pieces whose texts and nesting vary in length, so that the boundaries of the
/// blocks that are scanned at once fall anywhere.
@Suite("Boundaries of pieces of documents")
struct PieceBoundaryTests {
  private static let parts = [
    "plain text ", "[", "]", "{", "}", ",", #"\""#, #"\\"#, #"\\\""#, "é", "🦊", #"\u00e9"#,
  ]

  /// Returns a JSON text of random length, without quotes: mostly without escapes for a long time.
  private static func text(_ random: inout SplitMix64) -> String {
    let plain = String(repeating: "abc,[{", count: Int.random(in: 0..<120, using: &random))
    let length = Int.random(in: 0..<6, using: &random)
    return (0..<length).reduce(plain) { text, _ in
      text + (parts.randomElement(using: &random) ?? "")
    }
  }

  private static func nested(_ random: inout SplitMix64) -> String {
    let depth = Int.random(in: 0..<70, using: &random)
    return String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
  }

  @Test func `every object is imported whole`() async throws {
    var random = SplitMix64(seed: 19)
    var objects: [String] = []
    var byteCount = 0
    while byteCount < 3 << 20 {
      let object = """
        {"number":\(objects.count),"name":"\(Self.text(&random))","rest":\(Self.nested(&random))}
        """
      byteCount += object.utf8.count
      objects.append(object)
    }
    let document = "[\(objects.joined(separator: ","))]"
    let store = try await makeStore()
    let mappings = Self.mappings
    let source = DocumentSource(text: document)
    let report = try await store.import(source, by: mappings)
    #expect(report.createdCount == objects.count && report.diagnosticCount == 0)
    for (number, object) in objects.enumerated() {
      let entity = try await store.require(try EntityID("Item#\(number)"))
      let wanted = try JSONReader.read(object)["name"]
      guard case .string(let name)? = wanted, entity["name"] == .string(name) else {
        Issue.record("object \(number) differs")
        return
      }
    }
  }

  private static var mappings: Mappings {
    var mappings = Mappings([
      Mapping("Item", identifiedBy: "number") {
        Attribute("number")
        Attribute("name")
      }
    ])
    mappings.roots = [.init(as: "Item")]
    return mappings
  }
}
