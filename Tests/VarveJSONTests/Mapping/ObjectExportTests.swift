import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("Entities as objects of a mapping")
struct ObjectExportTests {
  @Test func `exported objects can be imported again and are equal`() async throws {
    let store = try await makeStore()
    let text = """
      [{"isbn":"1","details":{"title":"Hats","pages":12},"published":"1999-04-01",\
      "publisher":{"name":"C","books":[]},"authors":[5,7],"chapters":[{"title":"One"}]}]
      """
    let ids = try await store.import(text, as: "Book").ids
    let objects = try await store.objects(of: ids, as: "Book", by: Shop.mappings)
    #expect(JSON.array(objects).text == text)
    let other = try await makeStore()
    try await other.import(JSON.array(objects).text, as: "Book")
    #expect(try await other.objects(of: ids, as: "Book", by: Shop.mappings) == objects)
  }

  @Test func `never set is null, emptied is an empty list`() async throws {
    let store = try await makeStore()
    try await store.import(#"[{"isbn": "1"}, {"isbn": "2", "authors": []}]"#, as: "Book")
    let objects = try await store.objects(
      of: ["Book/1", "Book/2"],
      as: "Book",
      by: Shop.mappings
    )
    #expect(objects.map { $0["authors"] } == [.null, []])
    let again = try await store.import(JSON.array(objects).text, as: "Book")
    #expect(again.commit == nil && again.changedCount == 0)
    #expect(objects[0]["details"] == ["title": .null, "pages": .null])
  }

  @Test func `an entity that was written before is reduced to its identifying value`() async throws
  {
    let store = try await makeStore()
    try await store.import(
      #"{"name": "P", "books": [{"isbn": "1", "publisher": {"name": "P"}}]}"#,
      as: "Publisher"
    )
    let objects = try await store.objects(of: ["Publisher/P"], as: "Publisher", by: Shop.mappings) {
      $0 == "books" || $0 == "publisher"
    }
    #expect(
      JSON.array(objects).text
        == #"[{"name":"P","books":[{"isbn":"1","details":{"title":null,"pages":null},"#
        + #""published":null,"publisher":{"name":"P"}}]}]"#
    )
  }

  @Test func `cycles of entities without identity end, and a long chain is refused`() async throws {
    let store = try await makeStore()
    let node = Mapping("Node") {
      Attribute("n")
      ToOne("next", of: "Node")
    }
    try await store.create("Node", id: "a", ["n": 1, "next": .reference("a")])
    let objects = try await store.objects(of: ["a"], as: "Node", by: Mappings([node]))
    #expect(JSON.array(objects).text == #"[{"n":1,"next":{"n":1}}]"#)
    let rows = try (0..<20_000).map { index -> (EntityID, [Value?]) in
      (try EntityID("n\(index)"), [.reference(try EntityID("n\(index + 1)"))])
    }
    try await store.write { try await $0.create("Node", keys: ["next"], rows: rows) }
    await #expect(throws: VarveError.self) {
      try await store.objects(of: ["n0"], as: "Node", by: Mappings([node]))
    }
  }

  @Test func `objects nested to the limit are written, and read again`() async throws {
    let node = Mapping("Node", identifiedBy: "n") {
      Attribute("n")
      ToOne("next", of: "Node")
    }
    let mappings = Mappings([node])
    let depth = JSONReader.maximumDepth
    let text =
      (0..<depth).map { "{\"n\":\($0),\"next\":" }.joined() + "null"
      + String(repeating: "}", count: depth)
    let store = try await makeStore()
    try await store.import(text, as: "Node", by: mappings)
    // In a list, one level is left less.
    let objects = try await store.objects(of: ["Node#1"], as: "Node", by: mappings)
    let again = try await store.import(JSON.array(objects).text, as: "Node", by: mappings)
    #expect(again.commit == nil && again.unchangedCount == depth - 1)
  }

  @Test func `dead entities are omitted`() async throws {
    let store = try await makeStore()
    try await store.import(
      #"{"isbn": "1", "publisher": {"name": "P"}, "authors": [1, 2]}"#,
      as: "Book"
    )
    try await store.erase(["Author#1", "Publisher/P"])
    let objects = try await store.objects(
      of: ["Book/1", "Author#1"],
      as: "Book",
      by: Shop.mappings
    )
    #expect(objects.count == 1)
    #expect(objects[0]["authors"] == [2] && objects[0]["publisher"] == .null)
  }
}
