import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Documents that describe one entity several times.
@Suite("The net changes of a document")
struct NetChangeTests {
  @Test func `the last of several values counts, and importing again writes nothing`() async throws
  {
    let store = try await makeStore()
    let text = """
      [{"isbn": "1", "details": {"title": "A"}, "publisher": {"name": "P"}, "authors": [1]},
       {"isbn": "1", "details": {"title": "B"}, "publisher": {"name": "Q"}, "authors": [2]}]
      """
    let first = try await store.import(text, as: "Book")
    #expect(first.byType["Book"]?.created == 1 && first.changedCount == 0)
    let book = try await store.require("Book/1")
    #expect(book["title"] == "B" && book["publisher"] == .reference("Publisher/Q"))
    #expect(try await store.collection(of: "Book/1", "authors") == ["Author#2"])
    let again = try await store.import(text, as: "Book")
    #expect(again.commit == nil && again.changedCount == 0)
    #expect(again.byType["Book"]?.unchanged == 1)
    #expect(try await store.commitCount == 1)
  }

  @Test func `distant changes of one entity become one change`() async throws {
    let store = try await makeStore()
    let padding = (0..<20_000).map {
      #"{"number":\#($0 + 10),"note":"\#(String(repeating: "x", count: 60))"}"#
    }
    let text =
      ##"[{"number":1,"name":"A"},"## + padding.joined(separator: ",")
      + ##",{"number":1,"name":"B"}]"##
    try await store.import(text, as: "Author")
    #expect(try await store.require("Author#1")["name"] == "B")
    let again = try await store.import(text, as: "Author")
    #expect(again.commit == nil && again.changedCount == 0 && again.unchangedCount == 20_001)
    try await store.set("Author#1", "name", "C")
    let back = try await store.import(text, as: "Author")
    #expect(back.changedCount == 1 && back.unchangedCount == 20_000)
    #expect(try await store.history(of: "Author#1", "name").map(\.value) == ["B", "C", "B"])
  }

  @Test func `more changes than are remembered are written all the same`() async throws {
    let store = try await makeStore()
    func text(_ name: String) -> String {
      "[" + (0..<40_000).map { #"{"number":\#($0),"name":"\#(name)"}"# }.joined(separator: ",")
        + "]"
    }
    try await store.import(text("A"), as: "Author")
    let report = try await store.import(text("B"), as: "Author")
    #expect(report.changedCount == 40_000 && report.unchangedCount == 0)
    #expect(try await store.count(Query("Author").where(Field("name") == "B")) == 40_000)
  }

  @Test func `the last counts too where an object changes what another finds the entity by`()
    async throws
  {
    let store = try await makeStore()
    let byID = Mapping("ByID", entity: "Tool", identifiedBy: "id") {
      Attribute("id")
      Attribute("code")
      Attribute("name")
    }
    let byCode = Mapping("ByCode", entity: "Tool", identifiedBy: "code") { Attribute("code") }
    let mappings = Mappings([byID, byCode])
    try await store.import(#"{"id": 1, "code": "A", "name": "saw"}"#, as: "ByID", by: mappings)
    let text = #"[{"id": 1, "code": "B", "name": "axe"}, {"id": 1, "name": "saw"}]"#
    try await store.import(text, as: "ByID", by: mappings)
    #expect(try await store.require("Tool#1")["name"] == "saw")
    #expect(try await store.require("Tool#1")["code"] == "B")
  }

  @Test func `an inverse to many holds all that reference it, however often imported`() async throws
  {
    let store = try await makeStore()
    let team = Mapping("Team", identifiedBy: "id") {
      Attribute("id")
      ToMany(ids: "players", of: "Player", as: .set)
    }
    let player = Mapping("Player", identifiedBy: "id") {
      Attribute("id")
      ToOne(id: "team", of: "Team").inverse("players")
    }
    let mappings = Mappings([team, player])
    let text = #"[{"id": 1, "team": 1}, {"id": 2, "team": 1}, {"id": 3, "team": 2}]"#
    try await store.import(text, as: "Player", by: mappings)
    #expect(try await store.collection(of: "Team#1", "players") == ["Player#1", "Player#2"])
    #expect(try await store.import(text, as: "Player", by: mappings).commit == nil)
    try await store.import(#"{"id": 2, "team": 2}"#, as: "Player", by: mappings)
    #expect(try await store.collection(of: "Team#1", "players") == ["Player#1"])
    #expect(try await store.collection(of: "Team#2", "players") == ["Player#3", "Player#2"])
    try await store.import(#"{"id": 3, "team": null}"#, as: "Player", by: mappings)
    #expect(try await store.collection(of: "Team#2", "players") == ["Player#2"])
  }

  @Test func `a target two of a document name belongs to the last, and stays there`() async throws {
    let store = try await makeStore()
    let team = Mapping("Team", identifiedBy: "id") {
      Attribute("id")
      ToMany(ids: "players", of: "Player").inverse("team")
    }
    let player = Mapping("Player", identifiedBy: "id") { Attribute("id") }
    let mappings = Mappings([team, player])
    let text = #"[{"id": 1, "players": [1, 2]}, {"id": 2, "players": [2]}]"#
    try await store.import(text, as: "Team", by: mappings)
    #expect(try await store.require("Player#2")["team"] == .reference("Team#2"))
    #expect(try await store.import(text, as: "Team", by: mappings).commit == nil)
  }
}
