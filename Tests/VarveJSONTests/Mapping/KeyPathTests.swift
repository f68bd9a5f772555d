import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("A key path in a mapping")
struct KeyPathTests {
  private static let file: JSON = [
    "mappings": [
      "Place": [
        "id": "id",
        "attributes": [
          "id": "id", "/@odata.etag": "tag", "location.coordinates.0": "longitude",
          "/location/coordinates/1": "latitude", "/a~1b": "slash", "names.0.text": "name",
        ],
        "relationships": [["fromIds": "near.0", "to": "nearest", "mapping": "Place"]],
      ]
    ],
    "roots": [["mapping": "Place"]],
  ]
  private static let text = """
    [{"id": 1, "@odata.etag": "W1", "location": {"coordinates": [7.5, 47.5]}, "a/b": "s",
      "names": [{"text": "Basel"}, {"text": "Bâle"}], "near": [2, 3]}]
    """

  @Test func `leads to names with dots and to elements of arrays`() async throws {
    let mappings = try Mappings(json: Self.file)
    for isStreamed in [true, false] {
      let store = try await makeStore()
      let report =
        isStreamed
        ? try await store.import(DocumentSource(text: Self.text), by: mappings)
        : try await store.import(JSONReader.read(Self.text), by: mappings)
      #expect(report.diagnosticCount == 0)
      let place = try await store.require("Place#1")
      #expect(place["tag"] == "W1" && place["slash"] == "s" && place["name"] == "Basel")
      #expect(place["longitude"] == 7.5 && place["latitude"] == 47.5)
      #expect(place["nearest"] == .reference("Place#2"))
    }
  }

  @Test func `is written as it is read`() async throws {
    let mappings = try Mappings(json: Self.file)
    let store = try await makeStore()
    try await store.import(DocumentSource(text: Self.text), by: mappings)
    let objects = try await store.objects(of: ["Place#1"], as: "Place", by: mappings)
    #expect(objects[0]["location"]?["coordinates"] == [.fraction(7.5), .fraction(47.5)])
    #expect(objects[0]["@odata.etag"] == "W1" && objects[0]["a/b"] == "s")
    #expect(objects[0]["near"] == [2] && objects[0]["names"] == [["text": "Basel"]])
    let (text, report) = try await store.exported(by: mappings)
    #expect(report.diagnosticCount == 0)
    #expect(try await store.import(DocumentSource(text: text), by: mappings).commit == nil)
  }

  @Test func `that leads beyond an array's end is a missing key, and into a text is reported`()
    async throws
  {
    var mappings = try Mappings(json: Self.file)
    let store = try await makeStore()
    try await store.import(DocumentSource(text: Self.text), by: mappings)
    let short = #"[{"id": 1, "location": {"coordinates": [8]}, "names": "none"}]"#
    let report = try await store.import(DocumentSource(text: short), by: mappings)
    #expect(report.diagnostics.map(\.pointer) == ["/0/names"])
    #expect(try await store.require("Place#1")["latitude"] == 47.5)
    mappings["Place"]?.clearsMissing = true
    try await store.import(DocumentSource(text: short), by: mappings)
    #expect(try await store.require("Place#1")["latitude"] == nil)
    #expect(try await store.require("Place#1")["longitude"] == 8)
  }

  @Test func `of numbers without 0 is one of an object, which years are`() async throws {
    let file: JSON = [
      "mappings": ["T": ["id": "k", "attributes": ["k": "k", "n.2023": "a", "n.2024": "b"]]],
      "roots": [["mapping": "T"]],
    ]
    let mappings = try Mappings(json: file)
    let store = try await makeStore()
    let text = #"[{"k": "x", "n": {"2023": 1, "2024": 2}}]"#
    try await store.import(DocumentSource(text: text), by: mappings)
    let objects = try await store.objects(of: ["T/x"], as: "T", by: mappings)
    #expect(objects == [["k": "x", "n": ["2023": 1, "2024": 2]]])
  }

  @Test func `names the property after itself, and equals another form of it`() {
    #expect(KeyPathInJSON("/a/b") == "a.b" && KeyPathInJSON("/a.b") != "a.b")
    #expect(Attribute("/@odata.etag").key == "@odata.etag" && Attribute("a.b").key == "a.b")
    #expect(KeyPathInJSON("/a~1b~0").names == ["a/b~"] && KeyPathInJSON("").names == [""])
  }

  @Test func `with a wrong escape is refused with its place`() throws {
    let file: JSON = ["mappings": ["A": ["attributes": ["/a~2": "x"]]]]
    let error = #expect(throws: VarveError.self) { try Mappings(json: file) }
    #expect(error?.code == .invalidMapping && error?.place == "/mappings/A/attributes/~1a~02")
  }
}
