import Testing
import VarveJSON
import VarveStore

@Suite("The operation related")
struct RelatedOperationTests {
  @Test func `supports every condition that query supports`() async throws {
    let store = try await makeStore()
    let runner = OperationRunner(store)
    try await store.create("Shop", id: "shop")
    for (id, size) in [("a", 3), ("b", 12), ("c", 20)] {
      try await store.create(
        "Hat",
        id: try .init(id),
        ["size": .int(Int64(size)), "name": .string("x-\(id)")]
      )
      try await store.relate("shop", .owns, try .init(id))
    }
    try await store.create("Hat", id: "d")
    try await store.relate("shop", .owns, "d")
    let conditions: [JSON] = [
      ["size": [">": 5]], ["size": ["in": [3, 20]]], ["name": ["startsWith": "x-"]],
      ["@or": [["size": 3], ["@id": "d"]]], ["@not": ["size": [">=": 12]]], ["size": .null],
      ["size": ["double": .fraction(12)]], ["size": [">": 5, "<": 15]], [:],
    ]
    for condition in conditions {
      let related = await runner.run([
        "op": "related", "id": "shop", "kind": "owns", "where": condition,
      ])
      let queried = await runner.run([
        "op": "query", "type": "Hat", "where": condition, "run": "ids",
      ])
      #expect(related["ok"] == true && related["result"] == queried["result"], "\(condition.text)")
    }
  }
}
