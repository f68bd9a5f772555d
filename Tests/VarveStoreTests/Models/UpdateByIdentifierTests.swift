import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Writing to one model by its identifier")
struct UpdateByIdentifierTests {
  @Test(arguments: Engine.allCases)
  func `sets the named properties, keeps the others, and returns whether they differed`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let hat = try await store.save(Hat("red", 7))
    try await store.set(hat.id.entityID, "brim_size", 9)
    #expect(try await store.as("ana").update(hat.id) { $0.set(\.color, "blue") })
    let now = try await store.require(hat.id)
    #expect(now.color == "blue" && now.brimSize == 9)
    #expect(try await store.log(limit: 1).first?.author == "ana")
    let count = try await store.log().count
    #expect(try await !store.update(hat.id) { $0.set(\.color, "blue") })
    #expect(try await !store.update(hat.id) { _ in })
    #expect(try await store.log().count == count)
    try await store.write { tx in
      try await tx.update(hat.id) { $0.set(\.color, "grey") }
      #expect(try await tx.require(hat.id).color == "grey")
    }
  }

  @Test(arguments: Engine.allCases)
  func `is refused if the entity is dead, unknown or another's, and by the rules`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let hat = try await store.save(Hat("red", 7))
    func code(_ id: Identifier<Hat>, _ color: String = "blue") async -> VarveError.Code? {
      await failure { try await store.update(id) { $0.set(\.color, color) } }?.code
    }
    #expect(await code("unknown") == .notFound)
    try await store.create("shops", id: "shop-1")
    #expect(await code("shop-1") == .typeMismatch)
    #expect(await code(hat.id, "") == .validationFailed)
    #expect(try await store.require(hat.id).color == "red")
    try await store.erase(hat)
    #expect(await code(hat.id) == .notFound)
  }

  @Test(arguments: Engine.allCases)
  func `an erased model is restored by its identifier, with what it owned`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let hat = try await store.save(Hat("red", 7))
    let id = hat.id.entityID
    try await store.create("Ribbon", id: "r")
    try await store.relate(id, .owns, "r")
    try await store.erase(hat)
    #expect(try await store.as("ana").restore(hat.id) == [id, "r"])
    #expect(try await store.find(hat.id)?.color == "red")
    #expect(try await store.restore(hat.id) == [])
    try await store.write { tx in
      try await tx.erase(hat)
      #expect(try await tx.restore(hat.id) == [id, "r"])
    }
    let wrong = Identifier<Shop>(id)
    #expect(await failure { try await store.restore(wrong) }?.code == .typeMismatch)
    try await store.erase(hat)
    #expect(await failure { try await store.restore(wrong) }?.code == .typeMismatch)
    #expect(await failure { try await store.restore("x" as Identifier<Hat>) }?.code == .notFound)
  }
}
