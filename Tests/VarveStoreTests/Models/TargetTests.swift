import Testing
import VarveCore
import VarveStore

@Suite("Adding to relations of models, and removing from them")
struct TargetTests {
  @Test(
    arguments: Engine.allCases
  )
  func `with an inverse, targets refer to the model and are owned, and the others stay`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let hats = try await store.save([Hat("a"), Hat("b"), Hat("c")])
    let shop = try await store.save(Shop(name: "A", hats: Many(hats.prefix(1))))
    #expect(try await store.add([hats[1], hats[2]], to: \.hats, of: shop))
    #expect(try await store.fetch(shop.query(\.hats)).map(\.color) == ["a", "b", "c"])
    #expect(try await store.add([hats[1].id], to: \Shop.hats, of: shop.id) == false)
    #expect(try await store.remove([hats[0]], from: \.hats, of: shop))
    #expect(try await store.find(hats[0].id)?.shop == nil)
    #expect(try await store.remove([hats[0]], from: \.hats, of: shop) == false)
    let before = store.asOf(try await store.frontier())
    #expect(
      Set(try await store.erase(shop)) == [
        shop.id.entityID, hats[1].id.entityID, hats[2].id.entityID,
      ]
    )
    #expect(try await before.count(shop.query(\.hats)) == 2)
  }

  @Test(arguments: Engine.allCases)
  func `without an inverse, targets come last, once, with their edges`(engine: Engine) async throws
  {
    let store = try await makeStore(engine)
    let people = try await store.save([Customer("a"), Customer("b"), Customer("c")])
    let ann = people[0]
    try await store.write { tx in
      try await tx.add([people[2], people[1]], to: \.friends, of: ann)
      #expect(try await tx.add([people[2]], to: \.friends, of: ann) == false)
    }
    let read = try await store.fetch(Customer.all.with(\.friends))
    #expect(read[0].friends.loaded?.map(\.name) == ["c", "b"])
    #expect(try await store.relatedIDs(ann.id.entityID, .free).count == 2)
    #expect(try await store.remove([people[2].id], from: \Customer.friends, of: ann.id))
    #expect(try await store.collection(of: ann.id.entityID, "friends") == [people[1].id.entityID])
    #expect(try await store.relatedIDs(ann.id.entityID, .free) == [people[1].id.entityID])
  }

  @Test func `two replicas that add to one relation both keep what they added`() async throws {
    let (here, there) = (try await makeStore(.memory), try await makeStore(.memory))
    let people = try await here.save([Customer("a"), Customer("b"), Customer("c")])
    try await there.merge(from: here)
    try await here.add([people[1]], to: \.friends, of: people[0])
    try await there.add([people[2]], to: \.friends, of: people[0])
    try await here.merge(from: there)
    let ids = try await here.collection(of: people[0].id.entityID, "friends") ?? []
    #expect(Set(ids) == [people[1].id.entityID, people[2].id.entityID])
  }

  @Test func `a model that is not live, and an entity of another type, are refused`() async throws {
    let store = try await makeStore(.memory)
    let hat = try await store.save(Hat("a"))
    let shop = Shop(name: "A")
    let missing = await #expect(throws: VarveError.self) {
      try await store.add([hat], to: \.hats, of: shop)
    }
    #expect(missing?.code == .notFound)
    let other = await #expect(throws: VarveError.self) {
      try await store.add([hat.id], to: \Shop.hats, of: Identifier<Shop>(hat.id.entityID))
    }
    #expect(other?.code == .typeMismatch)
    try await store.save(shop)
    let stranger = await #expect(throws: VarveError.self) {
      try await store.add([Identifier<Hat>("none")], to: \Shop.hats, of: shop.id)
    }
    #expect(stranger?.code == .notFound)
  }
}
