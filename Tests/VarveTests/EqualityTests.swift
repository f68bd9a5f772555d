import Foundation
import Testing
import Varve

@Entity("scarves") private struct Scarf: Hashable {
  var id = Identifier<Scarf>()
  var color: String
  var size = 5
  var shop: Ref<Shop>?
  var kin: Many<Scarf> = Many()
  @Transient var isSelected = false
}

/// An equatable type that is not hashable.
private struct Weave: Codable, Equatable, Sendable { var width = 1 }

@Entity private struct Ribbon: Equatable {
  var id = Identifier<Ribbon>()
  var weave = Weave()
}

/// One with an equality of its own.
@Entity private struct Beanie: Hashable {
  var id = Identifier<Beanie>()
  var color: String

  static func == (left: Beanie, right: Beanie) -> Bool { left.color == right.color }
  func hash(into hasher: inout Hasher) { hasher.combine(color) }
}

@Suite("Equality of models")
struct EqualityTests {
  @Test
  func `an edited model that names Hashable differs from the stored one, and is the same entity`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    let scarf = try await store.save(Scarf(color: "red"))
    #expect(try await store.require(scarf.id) == scarf)
    var edited = scarf
    edited.color = "blue"
    #expect(edited != scarf && edited.isSameEntity(as: scarf))
    #expect(Set([scarf, edited, scarf]).count == 2)
    #expect(Scarf(color: "red") != scarf)
  }

  @Test func `every stored property counts, including those that are not kept in the store`() {
    let shop = Shop(name: "Chapeau")
    let scarf = Scarf(color: "red")
    for edit in [
      { $0.size = 6 }, { $0.shop = shop.ref }, { $0.kin = [scarf] }, { $0.isSelected = true },
    ] as [(inout Scarf) -> Void] {
      var edited = scarf
      edit(&edited)
      #expect(edited != scarf && edited.hashValue == edited.hashValue)
    }
  }

  @Test
  func `relations compare by identifiers; a reference that is loaded equals one that is not`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    let shop = try await store.save(Shop(name: "Chapeau"))
    let scarf = try await store.save(Scarf(color: "red", shop: Ref(shop.id)))
    let loaded = try #require(try await store.first(Scarf.all.with(\.shop)))
    #expect(loaded.shop?.loaded != nil && loaded == scarf)
    let kin = try #require(try await store.first(Scarf.all.with(\.kin)))
    #expect(kin.kin.loaded == [] && kin != scarf)
  }

  @Test
  func `properties that are not hashable are compared; such models hash by their identifiers`() {
    let ribbon = Ribbon()
    var wide = ribbon
    wide.weave.width = 2
    #expect(wide != ribbon && wide.hashValue == ribbon.hashValue)
  }

  @Test func `a model that declares an equality keeps it`() {
    #expect(Beanie(color: "red") == Beanie(color: "red"))
    #expect(!Beanie(color: "red").isSameEntity(as: Beanie(color: "red")))
  }

  @Test func `a model that names neither is equal to any with its identifier`() {
    let shop = Shop(name: "Chapeau")
    var other = shop
    other.name = "Bonnet"
    #expect(other == shop && other.isSameEntity(as: shop))
  }
}
