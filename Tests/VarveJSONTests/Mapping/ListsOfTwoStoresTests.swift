import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("A document that two stores import before they synchronise")
struct ListsOfTwoStoresTests {
  private static func mappings(_ kind: CollectionKind) -> Mappings {
    let team = Mapping("Team", identifiedBy: "id") {
      Attribute("id")
      ToMany(ids: "players", of: "Player", as: kind)
    }
    let player = Mapping("Player", identifiedBy: "id") { Attribute("id") }
    var mappings = Mappings([team, player])
    mappings.roots = [.init(as: "Team")]
    return mappings
  }

  private static let text = #"[{"id": 1, "players": [1, 2, 1]}]"#

  private func merged(_ kind: CollectionKind) async throws -> Store {
    let (one, two) = (try await makeStore(), try await makeStore())
    for store in [one, two] {
      try await store.import(DocumentSource(text: Self.text), by: Self.mappings(kind))
    }
    try await one.merge(from: two)
    return one
  }

  @Test(arguments: [CollectionKind.orderedSet, .set])
  func `gives sets their elements once`(kind: CollectionKind) async throws {
    let store = try await merged(kind)
    let players = try await store.collection(of: "Team#1", "players", as: kind)
    #expect(players == ["Player#1", "Player#2"])
  }

  @Test func `gives a list its elements twice, which issues lists and an operation settles`()
    async throws
  {
    let store = try await merged(.list)
    let runner = OperationRunner(store)
    let issues: JSON = ["op": "issues", "lists": [["type": "Team", "key": "players"]]]
    let answer = await runner.run(issues)
    #expect(
      answer["result"] == [
        [
          "kind": "repetition", "id": "Team#1", "key": "players", "target": "Player#1",
          "count": 4, "meant": 2,
        ],
        [
          "kind": "repetition", "id": "Team#1", "key": "players", "target": "Player#2",
          "count": 2, "meant": 1,
        ],
      ]
    )
    let settled = await runner.run(["op": "removeRepetitions", "id": "Team#1", "key": "players"])
    #expect(settled["result"] == 3)
    #expect(await runner.run(issues)["result"] == [])
    let players = try await store.collection(of: "Team#1", "players")
    #expect(players == ["Player#1", "Player#2", "Player#1"])
    let again = DocumentSource(text: Self.text)
    #expect(try await store.import(again, by: Self.mappings(.list)).commit == nil)
  }

  @Test func `is reported to have that effect where a mapping chooses a list`() async throws {
    let store = try await makeStore()
    let report = try await store.import(DocumentSource(text: Self.text), by: Self.mappings(.list))
    #expect(report.notes.map(\.pointer) == ["/mappings/Team/relationships/0/many"])
    #expect(report.notes.first?.reason.contains("orderedSet") == true)
    let again = try await store.import(DocumentSource(text: Self.text), by: Self.mappings(.list))
    #expect(again.notes.isEmpty)
    #expect(Self.mappings(.orderedSet).notes.isEmpty)
    // New entities are created by each import, so a set would not merge them either.
    var mappings = Self.mappings(.list)
    mappings["Team"]?.relations[0].isByID = false
    mappings["Player"]?.identification = nil
    #expect(mappings.notes.isEmpty)
  }
}
