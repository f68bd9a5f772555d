import Testing
import VarveCore
import VarveJSON
import VarveStore

@Suite("The operations that query")
struct QueryOperationTests {
  @Test func `aggregate a key that begins with a hyphen`() async throws {
    let store = try await makeStore()
    try await store.create("Hat", id: "a", ["n": 5, "-n": 1])
    try await store.create("Hat", id: "b", ["n": 7, "-n": 2])
    let sums = await OperationRunner(store).run([
      "op": "aggregate", "type": "Hat", "values": [["sum": "-n"], ["sum": "n"]],
    ])
    #expect(sums["result"] == [["keys": [], "values": [3, 12]]])
  }

  @Test func `refuse SQL whose columns have the same name`() async throws {
    let store = try await makeStore()
    for id in ["a", "b"] { try await store.create("Hat", id: try .init(id), ["n": 5]) }
    let runner = OperationRunner(store)
    let refused = await runner.run([
      "op": "sql", "sql": "SELECT a.n, b.n FROM Hat a JOIN Hat b",
    ])
    #expect(refused["error"]?["code"] == "invalidQuery")
    #expect(refused["error"]?["at"] == "column 2")
    let renamed = await runner.run([
      "op": "sql", "sql": "SELECT a.n, b.n AS other FROM Hat a JOIN Hat b LIMIT 1",
    ])
    #expect(renamed["result"] == [["n": 5, "other": 5]])
  }

  @Test(arguments: ["", ";", "-- a comment", "/* a comment */ ;"])
  func `refuse SQL without a statement`(sql: String) async throws {
    let reply = await OperationRunner(try await makeStore()).run([
      "op": "sql", "sql": .string(sql),
    ])
    #expect(reply["error"]?["code"] == "invalidQuery", "\(reply.text)")
  }

  @Test func `follow a path to a reference, and a path in its target`() async throws {
    let store = try await makeStore()
    let address = Value.dictionary(["city": .string("Rome")])
    try await store.create("Shop", id: "s", ["address": address])
    try await store.create("Hat", id: "a", ["sold": .array([.string("s"), .reference("s")])])
    try await store.create("Hat", id: "b", ["sold": .reference("s")])
    let runner = OperationRunner(store)
    let target: JSON = ["type": "Shop", "key": "address", "at": ["city"]]
    let conditions: [(JSON, JSON)] = [
      (["at": [1], "target": target, "=": "Rome"], ["a"]),
      (["at": [0], "target": target, "=": "Rome"], []),
      (["target": target, "=": "Rome"], ["b"]),
    ]
    for (condition, found) in conditions {
      let reply = await runner.run([
        "op": "query", "type": "Hat", "where": ["sold": condition], "run": "ids",
      ])
      #expect(reply["result"] == found, "\(condition.text): \(reply.text)")
    }
  }

  @Test func `search the texts of related entities`() async throws {
    let store = try await makeStore()
    for shop: EntityID in ["s", "t"] { try await store.create("Shop", id: shop) }
    try await store.create("Hat", id: "a", ["shop": .reference("s"), "note": "red wool"])
    let runner = OperationRunner(store)
    _ = await runner.run(["op": "index", "type": "Hat", "keys": ["note"], "search": "words"])
    let reply = await runner.run([
      "op": "query", "type": "Shop", "run": "ids",
      "where": [
        "@related": [
          "type": "Hat", "by": "shop", "where": ["@matches": ["words": "wool", "in": ["note"]]],
        ]
      ],
    ])
    #expect(reply["result"] == ["s"], "\(reply.text)")
  }
}

@Suite("The operation update")
struct ExpectingOperationTests {
  @Test func `compares expected values as a query does, and semantic types if they are written`()
    async throws
  {
    let store = try await makeStore()
    let runner = OperationRunner(store)
    _ = await runner.run([
      "op": "create", "type": "Hat", "id": "a",
      "set": [
        "size": 5, "color": ["value": "red", "type": "paint"], "made": ["date": "2024-05-01"],
      ],
    ])
    let cases: [(JSON, String?)] = [
      (["size": .fraction(5)], nil), (["color": "red"], nil),
      (["color": ["value": "red", "type": "paint"]], nil),
      (["made": ["date": "2024-05-01T00:00:00Z"]], nil),
      (["color": ["value": "red", "type": "dye"]], "semantic type \"paint\", not \"dye\""),
      (["color": "RED"], "is red, not RED"), (["size": "5"], "the integer 5, not the string 5"),
      (["made": "2024-05-01"], "not the string 2024-05-01"), (["size": .null], "is 5, not missing"),
    ]
    for (expected, message) in cases {
      let reply = await runner.run([
        "op": "update", "id": "a", "set": ["n": 1], "expecting": expected,
      ])
      guard let message else {
        #expect(reply["ok"] == true, "\(expected.text): \(reply.text)")
        continue
      }
      #expect(reply["error"]?["code"] == "changedMeanwhile", "\(expected.text)")
      guard case .string(let text)? = reply["error"]?["message"] else { continue }
      #expect(text.contains(message), "\(text)")
    }
  }
}
