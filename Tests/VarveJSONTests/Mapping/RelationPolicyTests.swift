import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("Policies of mapped relations")
struct RelationPolicyTests {
  private func replace(_ key: String) -> (inout ImportOptions) -> Void {
    { $0.policies[key] = .replace }
  }

  @Test func `replace spares what something else references, also from a property`() async throws {
    let store = try await makeStore()
    try await store.import(#"{"isbn": "1", "authors": [1, 2, 3, 4]}"#, as: "Book")
    try await store.import(#"{"isbn": "2", "authors": [1]}"#, as: "Book")
    try await store.create("Prize", id: "prize", ["winner": .reference("Author#2")])
    try await store.create("Club", id: "club")
    try await store.relate("club", .free, "Author#3")
    let report = try await store.import(
      #"{"isbn": "1", "authors": [5]}"#,
      as: "Book",
      replace("authors")
    )
    #expect(report.endedCount == 1)
    #expect(
      try await store.fetch(Query("Author")).map(\.id)
        == ["Author#1", "Author#2", "Author#3", "Author#5"]
    )
  }

  @Test func `replace erases displaced entities that only displaced ones reference`() async throws {
    let store = try await makeStore()
    try await store.import(#"{"isbn": "1", "authors": [1, 2]}"#, as: "Book")
    try await store.set("Author#1", "friend", .reference("Author#2"))
    try await store.set("Author#2", "friend", .reference("Author#1"))
    try await store.import(#"{"isbn": "1", "authors": null}"#, as: "Book", replace("authors"))
    #expect(try await store.count(Query("Author")) == 0)
    #expect(try await store.collection(of: "Book/1", "authors") == [])
  }

  @Test func `replace spares the displaced that another object of the document takes up`()
    async throws
  {
    let store = try await makeStore()
    try await store.import(#"{"isbn": "1", "authors": [1]}"#, as: "Book")
    try await store.import(
      #"[{"isbn": "1", "authors": []}, {"isbn": "2", "authors": [1]}]"#,
      as: "Book",
      replace("authors")
    )
    #expect(try await store.entity("Author#1") != nil)
  }

  @Test func `replace erases by the hooks, with what the displaced own; a hook can refuse`()
    async throws
  {
    let store = try await makeStore()
    try await store.import(#"{"isbn": "1", "publisher": {"name": "A"}}"#, as: "Book")
    try await store.create("Desk", id: "desk", ["of": .reference("Publisher/A")])
    try await store.relate("Publisher/A", .owns, "desk")
    let hook = store.willErase { entity, _ in
      if entity.id == "desk" { throw VarveError(.hookRefused, "no") }
    }
    let text = #"{"isbn": "1", "details": {"title": "T"}, "publisher": {"name": "B"}}"#
    await #expect(throws: VarveError.self) {
      try await store.import(text, as: "Book", replace("publisher"))
    }
    #expect(try await store.require("Book/1")["title"] == nil)
    #expect(try await store.entity("Publisher/B") == nil)
    hook.cancel()
    let report = try await store.import(text, as: "Book", replace("publisher"))
    #expect(report.endedCount == 2)
    #expect(try await store.allIDs() == ["Book/1", "Publisher/B"])
  }

  @Test func `merge keeps present targets, appends new ones, and ignores null`() async throws {
    let store = try await makeStore()
    let merge: (inout ImportOptions) -> Void = { $0.policies["chapters"] = .merge }
    var mappings = Shop.mappings
    mappings["Chapter"]?.identification = "title"
    try await store.import(
      #"{"isbn": "1", "chapters": [{"title": "b"}, {"title": "a"}]}"#,
      as: "Book",
      by: mappings
    )
    for text in [
      #"{"isbn": "1", "chapters": null}"#, #"{"isbn": "1", "chapters": []}"#,
    ] {
      #expect(try await store.import(text, as: "Book", merge, by: mappings).commit == nil)
    }
    try await store.import(
      #"{"isbn": "1", "chapters": ["c", "a"]}"#,
      as: "Book",
      merge,
      by: mappings
    )
    #expect(
      try await store.collection(of: "Book/1", "chapters")
        == ["Chapter/b", "Chapter/a", "Chapter/c"]
    )
    try await store.erase(["Chapter/a"])
    try await store.import(#"{"isbn": "1", "chapters": ["d"]}"#, as: "Book", merge, by: mappings)
    #expect(
      try await store.collection(of: "Book/1", "chapters")
        == ["Chapter/b", "Chapter/c", "Chapter/d"]
    )
  }
}
