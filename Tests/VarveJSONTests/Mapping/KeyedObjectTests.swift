import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("An object whose members are objects")
struct KeyedObjectTests {
  private static let items: JSON = [
    "mappings": ["Item": ["id": "id", "attributes": ["id": "id", "label": "label"]]],
    "roots": [["pointer": "/entities", "mapping": "Item"]],
  ]
  private static let keyed: JSON = [
    "mappings": ["Item": ["id": "id", "attributes": ["id": "id", "label": "label"]]],
    "roots": [["pointer": "/entities", "mapping": "Item", "keyedBy": "id"]],
  ]
  private static let document =
    #"{"entities": {"Q1": {"id": "Q1", "label": "one"}, "Q2": {"label": "two"}, "Q3": null}}"#

  /// Imports a text as a stream and as a value, into two stores.
  private func reports(_ text: String, _ file: JSON) async throws -> [(Store, ImportReport)] {
    let mappings = try Mappings(json: file)
    let (one, other) = (try await makeStore(), try await makeStore())
    let streamed = try await one.import(DocumentSource(text: text), by: mappings)
    let read = try await other.import(JSONReader.read(text), by: mappings)
    return [(one, streamed), (other, read)]
  }

  @Test func `is reported and imports nothing if the mapping reads no member of it`() async throws {
    for (store, report) in try await reports(Self.document, Self.items) {
      #expect(report.commit == nil && report.createdCount == 0)
      #expect(report.diagnostics.map(\.pointer) == ["/entities"])
      #expect(report.diagnostics.first?.reason.contains("keyedBy") == true)
      #expect(try await store.allIDs().isEmpty)
    }
  }

  @Test(arguments: ["[{}]", #"[{"foo": 1}]"#, #"[{"id": null, "foo": 1}, {"foo": 1}]"#])
  func `is reported wherever it stands in the place of an object`(objects: String) async throws {
    for (_, report) in try await reports(#"{"entities": \#(objects)}"#, Self.items) {
      #expect(report.diagnosticCount == 1 && report.createdCount <= 1)
    }
  }

  @Test func `is reported as a target, whose relation does not change`() async throws {
    let file: JSON = [
      "mappings": [
        "A": [
          "id": "id", "attributes": ["id": "id"],
          "relationships": [
            ["from": "one", "mapping": "A"], ["from": "all", "mapping": "A", "many": "set"],
          ],
        ]
      ],
      "roots": [["mapping": "A"]],
    ]
    let text = #"[{"id": 1, "one": {"x": {"id": 2}}, "all": [{"y": 1}]}]"#
    for (store, report) in try await reports(text, file) {
      #expect(report.diagnostics.map(\.pointer) == ["/0/one", "/0/all/0"])
      #expect(try await store.allIDs() == ["A#1"])
      #expect(try await store.collection(of: "A#1", "all") == nil)
    }
  }

  @Test func `ends nothing, although the document is complete`() async throws {
    var mappings = try Mappings(json: Self.items)
    mappings["Item"]?.completeness = .all
    let store = try await makeStore()
    let list = #"{"entities": [{"id": "Q1"}]}"#
    try await store.import(DocumentSource(text: list), by: mappings)
    let report = try await store.import(DocumentSource(text: Self.document), by: mappings)
    #expect(report.endedCount == 0)
    #expect(try await store.entity("Item/Q1") != nil)
  }

  @Test func `is imported as its members, whose names are values`() async throws {
    for (store, report) in try await reports(Self.document, Self.keyed) {
      #expect(report.createdCount == 2 && report.diagnosticCount == 0)
      #expect(report.ids == ["Item/Q1", "Item/Q2"])
      #expect(try await store.require("Item/Q2")["label"] == "two")
      let again = DocumentSource(text: Self.document)
      #expect(try await store.import(again, by: Mappings(json: Self.keyed)).commit == nil)
    }
  }

  @Test func `gives numbers and other kinds of names by a declared type`() async throws {
    let file: JSON = [
      "mappings": [
        "Year": [
          "id": "year", "types": ["year": "integer"], "attributes": ["year": "year", "n": "n"],
        ]
      ],
      "roots": [["mapping": "Year", "keyedBy": "year"]],
    ]
    for (store, report) in try await reports(#"{"2023": {"n": 1}, "x": {"n": 2}}"#, file) {
      #expect(try await store.require("Year#2023")["n"] == 1)
      #expect(report.diagnostics.map(\.pointer) == ["/x/year"])
    }
  }

  @Test func `reports members and values that cannot be used, with their places`() async throws {
    let text = #"{"entities": {"a/b": {"id": "c", "label": "x"}, "d": 5, "e": [{}], "f": {}}}"#
    for (store, report) in try await reports(text, Self.keyed) {
      #expect(
        report.diagnostics.map(\.pointer) == ["/entities/a~1b/id", "/entities/d", "/entities/e"]
      )
      #expect(try await store.allIDs() == ["Item/a/b", "Item/f"])
    }
    for other in ["[{}]", "5", #""text""#] {
      for (store, report) in try await reports(#"{"entities": \#(other)}"#, Self.keyed) {
        #expect(report.diagnostics.map(\.pointer) == ["/entities"], "\(other)")
        #expect(try await store.allIDs().isEmpty)
      }
    }
    for nothing in ["{}", "[]"] {
      for (_, report) in try await reports(#"{"entities": \#(nothing)}"#, Self.keyed) {
        #expect(report.diagnosticCount == 0 && report.commit == nil, "\(nothing)")
      }
    }
  }

  @Test func `with a repeated name is refused with its place, and nothing of it is kept`()
    async throws
  {
    let text = #"{"entities": {"Q1": {"label": "one"}, "Q2": {}, "Q1": {"label": "two"}}}"#
    let store = try await makeStore()
    let error = await failure {
      try await store.import(DocumentSource(text: text), by: Mappings(json: Self.keyed))
    }
    #expect(error?.code == .invalidJSON && error?.message.contains("\"Q1\" is repeated") == true)
    #expect(error?.place == "line 1, column 49 (byte 48)")
    #expect(try await store.log().isEmpty)
  }

  private static let packages: JSON = [
    "mappings": [
      "Package": [
        "id": "path", "attributes": ["path": "path", "version": "version"],
        "relationships": [
          ["from": "parts", "mapping": "Package", "many": "orderedSet", "keyedBy": "path"],
          ["fromIds": "peers", "mapping": "Package", "many": "set", "keyedBy": "path"],
        ],
      ]
    ],
    "roots": [["pointer": "/packages", "mapping": "Package", "keyedBy": "path"]],
  ]

  @Test func `relates an entity to its members`() async throws {
    let text = """
      {"packages": {"": {"version": "1", "parts": {"a": {"version": "2"}, "b": {}},
        "peers": {"c": true, "d": true, "e": null}}}}
      """
    for (store, report) in try await reports(text, Self.packages) {
      #expect(report.diagnosticCount == 0, "\(report.diagnostics)")
      #expect(
        try await store.collection(of: "Package/", "parts") == ["Package/a", "Package/b"]
      )
      let peers = try await store.collection(of: "Package/", "peers")
      #expect(Set(peers ?? []) == ["Package/c", "Package/d"])
      #expect(try await store.require("Package/a")["version"] == "2")
    }
  }

  @Test(arguments: [0, 1])
  func `is exported as it is read`(clears: Int) async throws {
    var mappings = try Mappings(json: Self.packages)
    mappings["Package"]?.clearsMissing = clears == 1
    let text = """
      {"packages": {"": {"version": "1", "parts": {"a": {"version": "2"}, "b": {"version": null}},
        "peers": {"c": true}}}}
      """
    let store = try await makeStore()
    try await store.import(DocumentSource(text: text), by: mappings)
    let (export, report) = try await store.exported(by: mappings)
    #expect(report.diagnosticCount == 0, "\(report.diagnostics)\n\(export)")
    let other = try await makeStore()
    try await other.import(DocumentSource(text: export), by: mappings)
    #expect(try await other.exported(by: mappings).0 == export)
    #expect(try await store.import(DocumentSource(text: export), by: mappings).commit == nil)
  }

  @Test func `leaves out of an export what has no name or that of another, and says so`()
    async throws
  {
    let store = try await makeStore()
    let file: JSON = [
      "mappings": ["Item": ["attributes": ["id": "id"]]],
      "roots": [["mapping": "Item", "keyedBy": "id"]],
    ]
    try await store.create("Item", id: "1", ["id": "a"])
    try await store.create("Item", id: "2", ["id": "a"])
    try await store.create("Item", id: "3")
    let (text, report) = try await store.exported(by: Mappings(json: file))
    #expect(text == "{\n\"a\":{}\n}\n")
    #expect(report.diagnostics.filter { $0.reason.contains("left out") }.count == 2)
  }

  @Test func `whose members are many is read piece by piece`() async throws {
    let count = 30_000
    let members = (0..<count).map {
      #""k\#($0)": {"label": "\#(String(repeating: "x", count: 60))"}"#
    }
    let text = #"{"entities": {"# + members.joined(separator: ",") + "}}"
    let store = try await makeStore()
    let mappings = try Mappings(json: Self.keyed)
    let report = try await store.import(DocumentSource(text: text), by: mappings)
    #expect(report.createdCount == count && report.ids.count == count)
    let wrong = #"{"entities": {"# + members.joined(separator: ",") + #", "x": {"label": }}}"#
    let other = try await makeStore()
    let error = await #expect(throws: VarveError.self) {
      try await other.import(DocumentSource(text: wrong), by: mappings)
    }
    #expect(error?.code == .invalidJSON)
    #expect(try await other.allIDs().isEmpty)
  }

  @Test func `is refused by a mapping that would not read the names`() throws {
    let files: [(JSON, String)] = [
      (
        [
          "mappings": ["A": ["attributes": ["x": "x"]]],
          "roots": [["mapping": "A", "keyedBy": "id"]],
        ],
        "/roots/0/keyedBy"
      ),
      (
        [
          "mappings": [
            "A": [
              "attributes": ["x": "x"],
              "relationships": [["from": "y", "mapping": "A", "keyedBy": "z"]],
            ]
          ]
        ],
        "/mappings/A/relationships/0/keyedBy"
      ),
      (
        [
          "mappings": [
            "A": [
              "id": "x", "attributes": ["x": "x", "z": "z"],
              "relationships": [["fromIds": "y", "mapping": "A", "keyedBy": "z"]],
            ]
          ]
        ],
        "/mappings/A/relationships/0/keyedBy"
      ),
    ]
    for (file, place) in files {
      let error = #expect(throws: VarveError.self) { try Mappings(json: file) }
      #expect(error?.code == .invalidMapping && error?.place == place)
    }
  }
}
