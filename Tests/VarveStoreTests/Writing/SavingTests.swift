import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Saving and updating")
struct SavingTests {
  @Test("Saving creates, then writes only differences", arguments: Engine.allCases)
  func savingCreatesThenWrites(engine: Engine) async throws {
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

  @Test("Saving under an erased or dead identifier is refused", arguments: Engine.allCases)
  func savingUnderErasedDead(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "b"))
    try await store.erase("a")
    #expect(await failure { try await store.save("node", id: "a", [:]) }?.code == .notFound)
    #expect(await failure { try await store.save("node", id: "b", [:]) }?.code == .notFound)
  }

  @Test("Saving under another type is refused", arguments: Engine.allCases)
  func savingUnderAnotherType(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "h")
    let error = await failure { try await store.save("Shop", id: "h", ["x": 1]) }
    #expect(error?.code == .typeMismatch)
    #expect(try await store.commitCount() == 1)
  }

  @Test("Updating returns whether anything changed; nil removes", arguments: Engine.allCases)
  func updatingTellsWhetherAnything(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1, "y": 2])
    #expect(try await !store.update("a", ["x": 1, "gone": nil]))
    #expect(try await store.update("a", ["x": 1, "y": nil]))
    #expect(try await store.require("a").keys == ["x"])
    #expect(try await store.commitCount() == 2)
  }

  @Test("Equality is of kind and bits", arguments: Engine.allCases)
  func equalityKindBits(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1, "z": .double(0), "n": .double(.nan)])
    #expect(try await !store.update("a", ["n": .double(.nan)]))
    #expect(try await store.update("a", ["x": .double(1)]))
    #expect(try await store.update("a", ["z": .double(-0.0)]))
  }

  @Test("A different semantic type is written if one is given", arguments: Engine.allCases)
  func semanticTypeDiffersWritten(engine: Engine) async throws {
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
