import Testing
import VarveCore
import VarveJSON
import VarveStore

/// `dryRun`, and the operation `commit`.
@Suite struct DryRunTests {
  private let store: Store
  private let runner: OperationRunner

  init() async throws {
    store = try await Store.open(.inMemory)
    runner = OperationRunner(store)
    try await store.write { transaction in
      try await transaction.create("Shop", id: "shop")
      try await transaction.create("Hat", id: "hat", ["color": "red"])
      try await transaction.relate("shop", .owns, "hat")
    }
  }

  private func result(_ operation: JSON) async throws -> JSON {
    let answer = await runner.run(operation)
    return try #require(answer["result"], "\(answer)")
  }

  @Test func `a dry transaction returns its results and leaves no commit`() async throws {
    let before = try await store.log().count
    let erase: JSON = ["op": "erase", "ids": ["shop"]]
    let operation: JSON = ["op": "transaction", "operations": [erase], "dryRun": true]
    #expect(try await result(operation) == [["shop", "hat"]])
    #expect(try await store.log().count == before)
    #expect(try await store.entity("hat") != nil)
    let failing: JSON = [
      "op": "transaction", "dryRun": true,
      "operations": [["op": "set", "id": "none", "set": ["color": "blue"]]],
    ]
    #expect(await runner.run(failing)["ok"] == false)
  }

  @Test func `a link to several dead targets names the first of them`() async throws {
    let dead = (0..<12).map { EntityID(stringLiteral: "dead \($0)") }
    try await store.write { tx in
      for id in dead { try await tx.create("Hat", id: id) }
      try await tx.erase(dead)
    }
    let targets = JSON.array(dead.reversed().map { .string($0.text) })
    for many in ["list", "set", "orderedSet"] as [JSON] {
      let link: JSON = ["op": "link", "id": "hat", "property": "l", "many": many, "to": targets]
      for isDry in [true, false] {
        let all: JSON = ["op": "transaction", "operations": [link], "dryRun": .bool(isDry)]
        let message = await runner.run(all)["error"]?["message"]?.text ?? ""
        #expect(message.contains("dead 11"), "\(message)")
      }
    }
  }

  @Test func `a dry undo reports what the undo then does`() async throws {
    try await store.erase(["shop"])
    let commit = try #require(try await store.log(limit: 1).first)
    let name = JSON.string(commit.id.hash.hexadecimal)
    let dry = try await result(["op": "undo", "commit": name, "dryRun": true])
    #expect(dry["restored"] == ["shop", "hat"])
    #expect(dry["commit"] == .null)
    #expect(try await store.entity("shop") == nil)
    let real = try await result(["op": "undo", "commit": name])
    #expect(real["restored"] == dry["restored"])
    #expect(real["commit"] != .null)
    #expect(try await store.entity("hat") != nil)
  }

  @Test func `a commit is what it changed in the state that its author had seen`() async throws {
    let other = try await Store.open(.inMemory)
    try await other.merge(from: store)
    try await store.write(author: "ana") { try await $0.set("hat", ["color": "blue"]) }
    try await other.write(author: "ben") { try await $0.set("hat", ["color": "green"]) }
    let ben = try #require(try await other.log(limit: 1).first)
    try await store.merge(from: other)
    let name = JSON.string(ben.id.hash.hexadecimal)
    let commit = try await result(["op": "commit", "commit": name])
    #expect(commit["author"] == "ben")
    #expect(commit["counts"] == ["added": 0, "changed": 1, "ended": 0])
    guard case .array(let changed)? = commit["changed"], let hat = changed.first else { return }
    // Red was what ben had seen, though blue came in between.
    #expect(hat["properties"] == ["color": ["old": "red", "new": "green"]])
    guard case .array(let seen)? = commit["seen"] else { return }
    #expect(seen.count == 1)
    let none = try await result(["op": "commit", "commit": name, "limit": 0])
    #expect(none["changed"] == [])
    #expect(none["counts"] == commit["counts"])
  }

  @Test func `a commit named by replica, number and hash is the state that its hash names`()
    async throws
  {
    let first = try #require(try await store.log(limit: 1).first)
    try await store.write { try await $0.set("hat", ["color": "blue"]) }
    let hash = JSON.string(first.id.hash.hexadecimal)
    let exact: JSON = [
      "commit": [
        "replica": .string(first.id.replica.text), "sequence": .integer(first.id.sequence),
        "hash": hash,
      ]
    ]
    for name in [hash, exact] {
      let read: JSON = ["op": "read", "refs": ["hat"], "keys": ["color"], "asOf": name]
      #expect(try await result(read) == [["color": "red"]])
      let diff: JSON = ["op": "diff", "from": name]
      guard case .array(let changed)? = try await result(diff)["changed"] else { return }
      #expect(changed.count == 1)
    }
    let unknown: JSON = [
      "commit": [
        "replica": .string(first.id.replica.text), "sequence": 9, "hash": hash,
      ]
    ]
    let read: JSON = ["op": "read", "refs": ["hat"], "keys": ["color"], "asOf": unknown]
    #expect(await runner.run(read)["ok"] == false)
  }
}
