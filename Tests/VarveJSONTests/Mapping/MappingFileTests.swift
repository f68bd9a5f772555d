import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("Mapping files")
struct MappingFileTests {
  private func refusal(_ text: String) throws -> VarveError? {
    do {
      _ = try Mappings(json: JSONReader.read(text))
      return nil
    } catch let error as VarveError {
      return error
    }
  }

  @Test func `invalid content is reported with its place`() throws {
    let files: [(String, String, String)] = [
      (
        #"{"mappings": {"A": {"attributes": {"x": {"to": "x", "transform": "rot13"}}}}}"#,
        "/mappings/A/attributes/x/transform", "rot13"
      ),
      (
        #"{"mappings": {"A": {"attributes": {"x": {"transform": "date:QQ"}}}}}"#,
        "/mappings/A/attributes/x/transform", "date:QQ"
      ),
      (
        #"{"mappings": {"A": {"relationships": [{"from": "b", "mapping": "B"}]}}}"#,
        "/mappings/A/relationships/0/mapping", "\"B\""
      ),
      (
        #"{"mappings": {"A": {"attributes": {"x": "p", "y": "p"}}}}"#,
        "/mappings/A/attributes/y", "twice"
      ),
      (
        #"{"mappings": {"A": {"attributes": {"x": "p"}, "relationships": [{"from": "p", "mapping": "A"}]}}}"#,
        "/mappings/A/relationships/0", "twice"
      ),
      (
        #"{"mappings": {"A": {"relationships": [{"from": "p", "fromIds": "q", "mapping": "A"}]}}}"#,
        "/mappings/A/relationships/0", "either"
      ),
      (
        #"{"mappings": {"A": {}}, "roots": [{"mapping": "A", "pointer": "/a~2b"}]}"#,
        "/roots/0/pointer", "~"
      ),
      (
        #"{"mappings": {"A": {}}, "roots": [{"mapping": "A", "pointer": "a"}]}"#,
        "/roots/0/pointer", "slash"
      ),
      (
        #"{"mappings": {"A": {}}, "roots": [{"mapping": "A"}, {"mapping": "A", "pointer": "/a"}]}"#,
        "/roots/1", "overlaps"
      ),
      (#"{"mappings": {"A": {"id": "x"}}}"#, "/mappings/A/id", "\"x\""),
      (#"{"mappings": {"A": {"colour": 1}}}"#, "/mappings/A/colour", "colour"),
      (#"{"mappings": {"A/B": {"types": {"x": "number"}}}}"#, "/mappings/A~1B/types/x", "integer"),
      (#"{"mappings": {}, "roots": [{"mapping": "A"}]}"#, "/roots/0/mapping", "\"A\""),
      (#"{"mappings": {}, "defaults": {"date": "soon"}}"#, "/defaults/date", "soon"),
      (#"{}"#, "/", "mappings"),
      (#"[]"#, "/", "object"),
    ]
    for (text, place, word) in files {
      let error = try #require(try refusal(text), "\(text)")
      #expect(error.code == .invalidMapping && error.place == place, "\(text): \(error)")
      #expect(error.message.contains(word), "\(text): \(error)")
    }
  }

  @Test
  func `a relation by identifying values to a mapping without one is reported with its place`()
    throws
  {
    let text = #"{"mappings": {"A": {"relationships": [{"fromIds": "b", "mapping": "A"}]}}}"#
    let error = try #require(try refusal(text))
    #expect(error.code == .noIdentificationAttribute)
    #expect(error.place == "/mappings/A/relationships/0/fromIds")
  }

  @Test func `a cycle of mappings is legal`() throws {
    let mappings = try Mappings(
      json: JSONReader.read(
        """
        {"mappings": {
          "A": {"relationships": [{"from": "b", "mapping": "B"}]},
          "B": {"relationships": [{"from": "a", "mapping": "A"}, {"from": "b", "mapping": "B"}]}}}
        """
      )
    )
    #expect(mappings.names == ["A", "B"])
  }

  @Test func `roots that overlap, and no roots, are refused`() async throws {
    let store = try await makeStore()
    for roots in [[], [Mappings.Root(as: "Author"), Mappings.Root(at: "/a", as: "Author")]] {
      var mappings = Shop.mappings
      mappings.roots = roots
      do {
        try await store.import(DocumentSource(text: "{}"), by: mappings)
        Issue.record("\(roots)")
      } catch let error as VarveError {
        #expect(error.code == .invalidMapping)
      }
    }
  }

  @Test func `a file and the builder describe the same mapping`() async throws {
    let file = try Mappings(
      json: JSONReader.read(
        """
        {"transforms": {"status": {"enumeration": {"A": "active", "P": "paused"}}},
         "defaults": {"date": "date:dd.MM.yyyy"},
         "roots": [{"pointer": "/all/members", "mapping": "Member"}],
         "mappings": {"Member": {"entity": "Person", "id": "number", "complete": {"club": "north"},
           "types": {"number": "integer", "born": "date"},
           "attributes": {"no": "number", "born": "born", "club": "club",
             "state": {"to": "status", "transform": "status"}}}}}
        """
      )
    )
    let store = try await makeStore()
    try await store.create("Person", id: "p", ["number": 9, "club": "north"])
    let report = try await store.import(
      DocumentSource(
        text: """
          {"count": 1, "all": {"next": [], "members": [{"no": "7", "born": "31.12.1999",
            "club": "north", "state": "P"}]}}
          """
      ),
      by: file
    )
    let person = try await store.require("Person#7")
    #expect(person["status"] == "paused")
    #expect(person["born"] == .date(try .iso("1999-12-31T00:00:00Z")))
    #expect(report.endedCount == 1)
    let objects = try await store.objects(of: ["Person#7"], as: "Member", by: file)
    #expect(
      objects == [["no": 7, "born": "31.12.1999", "club": "north", "state": "P"]],
      "\(objects.map(\.text))"
    )
  }
}
