import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Saving and updating")
struct SavingTests {
  @Test(arguments: Engine.allCases)
  func `saving creates, then writes only differences`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    #expect(try await store.save("Hat", id: "h", ["color": "red", "size": 3]) == .created)
    #expect(try await store.save("Hat", id: "h", ["color": "red", "size": 3]) == .unchanged)
    #expect(try await store.commitCount() == 1)
    #expect(try await store.save("Hat", id: "h", ["color": "blue", "size": 3]) == .changed)
    #expect(try await store.history(of: "h", "color").map(\.value) == ["blue", "red"])
    #expect(try await store.history(of: "h", "size").map(\.value) == [3])
    #expect(try await store.save("Hat", id: "h", ["size": 3]) == .unchanged)
    #expect(try await store.require("h")["color"] == "blue")
  }

  @Test(arguments: Engine.allCases)
  func `saving under an erased or dead identifier is refused`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "b"))
    try await store.erase("a")
    #expect(await failure { try await store.save("node", id: "a", [:]) }?.code == .notFound)
    #expect(await failure { try await store.save("node", id: "b", [:]) }?.code == .notFound)
  }

  @Test(arguments: Engine.allCases)
  func `saving under another type is refused`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "h")
    let error = await failure { try await store.save("Shop", id: "h", ["x": 1]) }
    #expect(error?.code == .typeMismatch)
    #expect(try await store.commitCount() == 1)
  }

  @Test(arguments: Engine.allCases)
  func `updating returns whether anything changed; nil removes`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1, "y": 2])
    #expect(try await !store.update("a", ["x": 1, "gone": nil]))
    #expect(try await store.update("a", ["x": 1, "y": nil]))
    #expect(try await store.require("a").keys == ["x"])
    #expect(try await store.commitCount() == 2)
  }

  @Test(arguments: Engine.allCases)
  func `equality is of kind and bits`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1, "z": .double(0), "n": .double(.nan)])
    #expect(try await !store.update("a", ["n": .double(.nan)]))
    #expect(try await store.update("a", ["x": .double(1)]))
    #expect(try await store.update("a", ["z": .double(-0.0)]))
  }

  @Test(arguments: Engine.allCases)
  func `a different semantic type is written if one is given`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": "Rome"])
    let address = StoredEntity.Property("Rome", semanticType: "address")
    try await store.write { tx async throws in
      #expect(try await tx.update("a", properties: ["x": address]))
      #expect(try await !tx.update("a", properties: ["x": address]))
      #expect(try await tx.save("t", id: "a", properties: ["x": address]) == .unchanged)
      #expect(try await !tx.update("a", ["x": "Rome"]))
    }
    #expect(try await store.require("a").property("x") == address)
  }
}
