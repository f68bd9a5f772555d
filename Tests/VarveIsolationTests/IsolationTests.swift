import Foundation
import Testing
import Varve

/// In this module every declaration belongs to the main actor unless it is marked otherwise.
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

/// Compared by all its properties, off the main actor too.
@Entity nonisolated struct Sock: Hashable {
  var id = Identifier<Sock>()
  var size = 40
}

nonisolated enum Wardrobe {
  @Entity struct Coat: Persistable {
    var id = Identifier<Coat>()
    var length = 90.5
  }
}

/// Classes belong to it as well, and so do their contexts.
@Entity(kind: "Drawer") class Drawer {
  var label = "none"
  var socks: Int
  init(socks: Int) { self.socks = socks }
}

@Entity(kind: "DeepDrawer") final class DeepDrawer: Drawer {
  var depth = 2.5
  override init(socks: Int) { super.init(socks: socks) }
}

/// Its objects belong to the actor of their context.
@Entity(kind: "Hook") nonisolated final class Hook {
  var isBent = false
  init() {}
}

actor Workshop {
  func bend(_ store: Store) async throws -> EntityID {
    let objects = try await Objects(store)
    objects.register(Hook.self)
    let hook = Hook()
    try await objects.save(hook)
    hook.isBent = true
    try await objects.save(hook)
    return hook.id
  }
}

@Suite("In a module of the main actor")
struct IsolationTests {
  @Test func `models are used on it and off it`() async throws {
    let store = try await Store.open(.inMemory)
    let shop = try await store.save(Shop(name: "Fedora & Sons"))
    let task = Task.detached {
      let hat = try await store.save(Hat(color: "red", shop: shop.ref))
      try await store.save(Wardrobe.Coat())
      let query = Hat.where { $0.color == "red" && $0.brimSize > 5 }.order(by: \.brimSize).with(
        \.shop
      )
      return try await store.fetch(query).map { ($0 == hat, $0.shop?.loaded?.name) }
    }
    let found = try await task.value
    #expect(found.count == 1 && found[0] == (true, "Fedora & Sons"))
    #expect(try await store.fetch(Wardrobe.Coat.all).map(\.length) == [90.5])
    let shops = try await store.fetch(Shop.all.with(\.hats))
    #expect(shops.first?.hats.loaded?.first?.color == "red")
  }

  @Test func `in a module of the main actor live objects are of the main actor, or of another`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    let objects = try await Objects(store)
    objects.register(Drawer.self, DeepDrawer.self, Hook.self)
    let drawer = DeepDrawer(socks: 4)
    try await objects.save(drawer)
    let fresh = try await Objects(store)
    fresh.register(Drawer.self, DeepDrawer.self)
    let loaded = try await fresh.load(drawer.id, as: Drawer.self)
    #expect((loaded as? DeepDrawer)?.depth == 2.5)
    #expect(loaded.socks == 4)
    let hook = try await objects.load(Workshop().bend(store), as: Hook.self)
    #expect(hook.isBent)
  }
}
