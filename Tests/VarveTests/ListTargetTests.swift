import Testing
import Varve

@Suite("Adding to a list of a model")
struct ListTargetTests {
  @Test func `adding to a list of a model repeats a target, and removing takes all repetitions`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    let hats = try await store.save([
      Hat(color: "red", brimSize: 8), Hat(color: "blue", brimSize: 9),
    ])
    let shop = try await store.save(Shop(name: "a", shelf: Many(hats)))
    try await store.add([hats[0]], to: \.shelf, of: shop)
    let ids = hats.map(\.id.entityID)
    #expect(try await store.collection(of: shop.id.entityID, "shelf") == ids + [ids[0]])
    try await store.remove([hats[0]], from: \.shelf, of: shop)
    #expect(try await store.collection(of: shop.id.entityID, "shelf") == [ids[1]])
  }
}
