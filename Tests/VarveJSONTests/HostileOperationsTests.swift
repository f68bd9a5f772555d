import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("Lines of operations that have changed")
struct HostileOperationsTests {
  private static let lines = [
    #"{"op":"create","type":"Hat","id":"hat-1","set":{"color":"red","size":12,"worn":true}}"#,
    #"{"op":"set","id":"hat-1","set":{"a":{"array":[1,{"double":2}]},"d":{"data":"AQID"}}}"#,
    #"{"op":"update","id":{"Hat":{"color":"red"}},"set":{"color":{"value":"x","type":"y"}}}"#,
    #"{"op":"set","id":"hat-1","set":{"since":{"date":"2020-01-01"}},"at":"2021-01-01"}"#,
    #"{"op":"relate","from":"hat-1","kind":"owns","to":"hat-2","name":"n"}"#,
    #"{"op":"add","refs":[{"identifier":"hat-3","createAs":"Hat","set":{"size":7}}]}"#,
    #"{"op":"all","type":"Hat","where":{"size":7}}"#,
    #"{"op":"erase","ids":["hat-2"],"author":"ana","message":"gone"}"#,
    #"{"op":"transaction","operations":[{"op":"create","type":"Hat","id":"hat-4"}]}"#,
    #"{"op":"history","id":"hat-1"}"#, #"{"op":"status","id":"hat-1"}"#, #"{"op":"log"}"#,
  ]

  @Test func `that ask for too much or nothing are refused with the reason`() async throws {
    let store = try await Store.open(.inMemory)
    try await store.create("Hat", id: "a", ["n": 1])
    let runner = OperationRunner(store)
    func failure(_ line: String) async throws -> String {
      let answer = await runner.run(line: Array(line.utf8), number: 1)
      guard case .string(let message)? = answer["error"]?["message"] else { return answer.text }
      return message
    }
    let path = Array(repeating: #""a""#, count: 70_000).joined(separator: ",")
    let deep = try await failure(
      #"{"op":"query","type":"Hat","where":{"n":{"at":[\#(path)],"=":1}},"run":"ids"}"#
    )
    #expect(deep == "a path has more than 512 steps")
    #expect(
      try await failure(#"{"op":"aggregate","type":"Hat"}"#)
        == "an aggregate has neither values nor keys"
    )
    let counts = Array(repeating: #""count""#, count: 3_000).joined(separator: ",")
    #expect(
      try await failure(#"{"op":"aggregate","type":"Hat","values":[\#(counts)]}"#)
        == "an aggregate has more than 1000 keys and values"
    )
    for (count, isRefused) in [(1_013, false), (1_014, true)] {
      let name = String(repeating: "n", count: count)
      let operations = #"[{"op":"set","id":"a","set":{"n":\#(count)}}]"#
      let line = #"{"op":"once","name":"\#(name)","operations":\#(operations)}"#
      #expect(try await failure(line).hasPrefix("{\"ok\":true") != isRefused)
    }
    for (digits, hint) in [
      ("1" + String(repeating: "0", count: 50), "; write it as 1e+50 for a double"),
      ("1" + String(repeating: "0", count: 400), ""),
    ] {
      let message = try await failure(#"{"op":"set","id":"a","set":{"n":\#(digits)}}"#)
      #expect(message.hasSuffix("an integer does not fit 64 bits\(hint)"), "\(message)")
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `are answered, and one that fails writes nothing`(seed: UInt64) async throws {
    try await play(seed: seed, rounds: 25)
  }

  fileprivate func play(seed: UInt64, rounds: Int) async throws {
    let store = try await Store.open(.inMemory)
    let runner = OperationRunner(store)
    var random = SplitMix64(seed: seed)
    for round in 0..<rounds {
      for line in Self.lines {
        var bytes = Array(line.utf8)
        for _ in 0..<random.pick([0, 1, 1, 1, 2, 5]) { bytes = random.mutated(bytes) }
        bytes.removeAll { $0 == 0x0A }
        let before = try await store.frontier()
        let answer = await runner.run(line: bytes, number: 1)
        let place: Comment =
          "seed \(seed), round \(round): \(String(decoding: bytes, as: UTF8.self))"
        guard answer["ok"] == false else {
          #expect(answer["ok"] == true && answer["result"] != nil, place)
          continue
        }
        guard case .string(let code)? = answer["error"]?["code"] else {
          Issue.record(place)
          continue
        }
        #expect(VarveError.Code(rawValue: code) != nil, place)
        guard case .string(let remedy)? = answer["error"]?["remedy"] else {
          Issue.record("no remedy, \(place)")
          continue
        }
        #expect(!remedy.isEmpty, place)
        #expect(code != "damaged" && code != "inputOutput", place)
        #expect(try await store.frontier() == before, place)
      }
    }
    #expect(try await store.check().findings == [])
    try await store.close()
  }
}

@Suite(
  "Soak: lines of operations that have changed",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct HostileOperationsSoakTests {
  @Test(arguments: 100..<200 as Range<UInt64>)
  func `are answered, and one that fails writes nothing`(seed: UInt64) async throws {
    try await HostileOperationsTests().play(seed: seed, rounds: 200)
  }
}

@Suite("The operation `update`")
struct UpdateOperationTests {
  @Test func `compares a dated value with the state at its date, whatever holds later`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    let runner = OperationRunner(store)
    func run(_ op: String, _ size: JSON, _ at: JSON) async -> JSON? {
      await runner.run(["op": .string(op), "id": "hat", "set": ["size": size], "at": at])[
        "result"
      ]
    }
    let create: JSON = ["op": "create", "type": "Hat", "id": "hat", "at": "2009-01-01"]
    #expect(await runner.run(create)["ok"] == true)
    _ = await run("set", 1, "2010-06-01")
    _ = await run("set", 3, "2017-06-01")
    #expect(await run("update", 3, "2013-06-01") == true)
    #expect(await run("update", 3, "2013-06-01") == false)
    #expect(await run("update", 1, "2011-06-01") == false)
    let sizes = try await store.history(of: "hat", "size").compactMap { $0.value?.intValue }
    #expect(sizes == [3, 3, 1])
    try await store.close()
  }

  @Test func `a semantic type goes where the kind's own is named, and stays where none is`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    let runner = OperationRunner(store)
    try await store.create("Hat", id: "hat", ["color": "red"])
    try await store.set("hat", "color", "red", semanticType: "paint")
    func update(_ value: JSON) async -> JSON? {
      await runner.run(["op": "update", "id": "hat", "set": ["color": value]])["result"]
    }
    #expect(await update("red") == false)
    #expect(try await store.require("hat").property("color")?.semanticType == "paint")
    #expect(await update(["value": "red", "type": "string"]) == true)
    #expect(try await store.require("hat").property("color")?.semanticType == "string")
    #expect(await update(["value": "red", "type": "string"]) == false)
    try await store.close()
  }
}
