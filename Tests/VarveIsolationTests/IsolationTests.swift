import Foundation
import Testing
import Varve

/// In this module everything belongs to the main actor unless it says otherwise.
@Entity nonisolated struct Shop {
  var id = Identifier<Shop>()
  var name: String
  @Relation(.owns, inverse: \Hat.shop) var hats: Many<Hat> = Many()
}

@Entity(uniqueTogether: [["color", "brimSize"]])
struct Hat: Persistable {
  var id = Identifier<Hat>()
  @Field(.length(1...40), .check("dull") { $0 != "grey" }) var color: String
  @Field("brim_size", .range(5...15)) var brimSize = 10
  var shop: Ref<Shop>?
  var createdAt: Date?
}

nonisolated enum Wardrobe {
  @Entity struct Coat: Persistable {
    var id = Identifier<Coat>()
    var length = 90.5
  }
}

@Suite("In a module of the main actor")
struct IsolationTests {
  @Test("models are used on it and off it")
  func offTheMainActor() async throws {
    let store = try await Store.open(.inMemory)
    let shop = try await store.save(Shop(name: "Fedora & Sons"))
    let task = Task.detached {
      let hat = try await store.save(Hat(color: "red", shop: shop.ref))
      try await store.save(Wardrobe.Coat())
      let query = Hat.where { $0.color == "red" && $0.brimSize > 5 }.order(\.brimSize).with(\.shop)
      return try await store.fetch(query).map { ($0 == hat, $0.shop?.loaded?.name) }
    }
    let found = try await task.value
    #expect(found.count == 1 && found[0] == (true, "Fedora & Sons"))
    #expect(try await store.fetch(Wardrobe.Coat.all).map(\.length) == [90.5])
    let shops = try await store.fetch(Shop.all.with(\.hats))
    #expect(shops.first?.hats.loaded?.first?.color == "red")
  }
}
