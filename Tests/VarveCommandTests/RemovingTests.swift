#if CommandLine && Server && YAML
import Testing
import VarveTestSupport

@Suite struct RemovingTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `remove removes properties, and their history stays`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("remove", store, "hat-2", "color", "sold", "weight")
    #expect(run.output.hasPrefix("changed hat-2 (commit "))
    let hat = try await Program.varve("get", store, "hat-2", "--json").result
    #expect(try hat["properties"] == ["size": 7])
    let history = try await Program.varve("history", store, "hat-2", "color", "--json").result
    #expect(try history.elements.map { try $0["change"] } == ["removed", "set"])
    let again = try await Program.varve("remove", store, "hat-2", "color", "--json")
    #expect(try again.result == ["id": "hat-2", "commit": .null])
    let unknown = try await Program.varve("remove", store, "hat-9", "color", "--json")
    #expect(unknown.status == 1)
    #expect(try unknown.document["error"]["code"] == "notFound")
  }

  @Test func `unrelate removes relations, and owned entities stay alive`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("unrelate", store, "hat-1", "ownedBy", "shop-1")
    #expect(run.output.hasPrefix("hat-1 no longer is owned by shop-1 (commit "))
    let hat = try await Program.varve("get", store, "hat-1", "--json").result
    #expect(try hat["relations"]["ownedBy"] == [])
    let again = try await Program.varve("unrelate", store, "shop-1", "owns", "hat-1", "--json")
    #expect(again.status == 0)
    #expect(try again.result["commit"] == .null)
    let named = ["unrelate", store, "shop-1", "owns", "hat-2", "--named", "none"]
    let nothing = try await Program.varve(named)
    #expect(nothing.output == "shop-1 has no relation none to hat-2; nothing written\n")
  }
}
#endif
