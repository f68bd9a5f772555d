import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Relations of models")
struct ModelRelationsTests {
  @Test(
    arguments: Engine.allCases
  )
  func `an entity that refers to its owner dies with it, whatever its reference was before`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let shop = try await store.save(Shop(name: "A"))
    let other = try await store.save(Shop(name: "B"))
    var hat = try await store.save(Hat("red", shop: shop.ref))
    let stray = try await store.save(Hat("blue"))
    #expect(try await store.relatedIDs(shop.id.entityID, .owns) == [hat.id.entityID])
    hat.shop = other.ref
    try await store.save(hat)
    #expect(try await store.relatedIDs(shop.id.entityID, .owns).isEmpty)
    #expect(try await store.relatedIDs(other.id.entityID, .owns) == [hat.id.entityID])
    #expect(try await store.erase(shop) == [shop.id.entityID])
    #expect(Set(try await store.erase(other)) == [other.id.entityID, hat.id.entityID])
    #expect(try await store.fetch(Hat.all).map(\.id) == [stray.id])
  }

  @Test(arguments: Engine.allCases)
  func `taking the reference back takes the ownership back`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let shop = try await store.save(Shop(name: "A"))
    var hat = try await store.save(Hat("red", shop: shop.ref))
    hat.shop = nil
    try await store.save(hat)
    try await store.erase(shop)
    #expect(try await store.find(hat.id) != nil)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `a to-many relation has the entities that refer back, and can be set from its own end`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let hats = try await store.save([Hat("a"), Hat("b"), Hat("c")])
    var shop = try await store.save(Shop(name: "A", hats: Many(hats.prefix(2))))
    #expect(try await store.fetch(shop.query(\.hats)).map(\.color) == ["a", "b"])
    shop.hats = Many(ids: [hats[2].id, hats[0].id])
    try await store.save(shop)
    #expect(try await store.fetch(shop.query(\.hats)).map(\.color) == ["a", "c"])
    #expect(try await store.find(hats[1].id)?.shop == nil)
    let read = try #require(try await store.find(shop.id))
    #expect(read.hats.ids == nil)
    try await store.save(read)
    #expect(try await store.count(shop.toMany(Hat.self)) == 2)
    #expect(
      Set(try await store.erase(shop)) == [
        shop.id.entityID, hats[0].id.entityID, hats[2].id.entityID,
      ]
    )
    #expect(try await store.find(hats[1].id) != nil)
  }

  @Test(arguments: Engine.allCases)
  func `a relation to many without an inverse keeps its order`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let people = try await store.save([Customer("a"), Customer("b"), Customer("c")])
    var ann = people[0]
    ann.friends = [people[2], people[1]]
    try await store.save(ann)
    let loaded = try await store.fetch(Customer.all.with(\.friends))
    #expect(loaded.map { $0.friends.loaded?.map(\.name) } == [["c", "b"], [], []])
    #expect(try await store.relatedIDs(ann.id.entityID, .free).count == 2)
    ann.friends = []
    try await store.save(ann)
    #expect(try await store.collection(of: ann.id.entityID, "friends") == [])
    #expect(try await store.relatedIDs(ann.id.entityID, .free).isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `relations are loaded too, nested ones and narrowed ones`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let shops = try await store.save([Shop(name: "A"), Shop(name: "B")])
    try await store.save([
      Hat("red", 6, shop: shops[0].ref), Hat("blue", 7, shop: shops[0].ref), Hat("red", 8),
    ])
    let hats = try await store.fetch(Hat.all.with(\.shop))
    #expect(hats.map { $0.shop?.loaded?.name } == ["A", "A", nil])
    let red = try await store.fetch(
      Shop.all.with(\.hats) { $0.where { $0.color == "red" }.with(\.shop) }
    )
    #expect(red.map { $0.hats.loaded?.map(\.brimSize) } == [[6], []])
    #expect(red[0].hats.loaded?.first?.shop?.loaded?.name == "A")
    #expect(try await store.first(Hat.all.with(\.shop))?.shop?.loaded?.name == "A")
    await #expect(throws: VarveError.self) {
      try await store.fetch(Shop.all.with(\.hats) { $0.limit(1) })
    }
  }

  @Test(arguments: Engine.allCases)
  func `through: one row for each way, each once if asked`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let people = try await store.save([Customer("Ann"), Customer("Bob"), Customer("Cid")])
    let hats = try await store.save([Hat("red"), Hat("blue")])
    try await store.save([
      Order(hat: hats[0].ref, customer: people[1].ref, count: 2),
      Order(hat: hats[1].ref, customer: people[0].ref),
      Order(hat: hats[0].ref, customer: people[2].ref),
      Order(hat: hats[0].ref, customer: people[1].ref),
    ])
    let buyers = try hats[0].toMany(Customer.self, through: hats[0].toMany(Order.self))
    #expect(try await store.fetch(buyers).map(\.name) == ["Bob", "Bob", "Cid"])
    #expect(try await store.fetch(buyers.distinct).map(\.name) == ["Bob", "Cid"])
    #expect(try await store.count(buyers.distinct) == 2)
    #expect(try await store.count(buyers.where { $0.name == "Cid" }) == 1)
    let joined = Customer.all.join(Order.self, on: \.customer, equals: \.id)
      .where(joined: Order.self) { $0.count > 1 }
    #expect(try await store.fetch(joined).map(\.name) == ["Bob"])
    let sold = try people[1].toMany(Hat.self, through: people[1].toMany(Order.self))
    #expect(try await store.fetch(sold.distinct).map(\.color) == ["red"])
    #expect(throws: VarveError.self) {
      try hats[0].toMany(Customer.self, through: hats[0].toMany(Order.self).limit(1))
    }
    let then = try await store.frontier()
    try await store.erase(people[2])
    #expect(try await store.fetch(buyers.distinct).map(\.name) == ["Bob"])
    #expect(try await store.asOf(then).fetch(buyers.distinct).map(\.name) == ["Bob", "Cid"])
  }
}
