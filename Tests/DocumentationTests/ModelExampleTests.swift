import Foundation
import Testing
import Varve
import VarveReferences

// snippet: Sources/Varve/Varve.docc/Models.md
@Entity struct Shop {
  var id = Identifier<Shop>()
  @Field(.required, .unique) var name: String
  @Relation(.owns, inverse: \Hat.shop) var hats: Many<Hat> = Many()
}

@Entity(uniqueTogether: [["color", "brimSize"]])
struct Hat {
  var id = Identifier<Hat>()
  @Field(.length(1...40)) var color: String
  @Field("brim_size", .range(5...15)) var brimSize = 10
  var shop: Ref<Shop>?
  var createdAt: Date?  // filled by the first save
  var updatedAt: Date?  // filled by every save
  @Transient var isSelected = false
}
// end

// snippet: README.md
@Entity struct Cap {
  var id = Identifier<Cap>()
  @Field(.length(1...40)) var color: String
  var size = 58
}
// end

@Suite("The examples of models behave as documented")
struct ModelExampleTests {
  @Test("declaring and relations")
  func declaring() async throws {
    let store = try await Store.open(.inMemory)
    // snippet: Sources/Varve/Varve.docc/Models.md
    let shop = try await store.save(Shop(name: "Fedora & Sons"))
    var hat = try await store.save(Hat(color: "red", brimSize: 12, shop: shop.ref))
    hat.color = "blue"
    try await store.as("ana").save(hat)  // writes what changed

    let wide = Hat.where { $0.brimSize > 10 }.order(by: \.color).limit(20)
    let hats = try await store.fetch(wide.with(\.shop))
    print(hats[0].shop?.loaded?.name ?? "no shop")
    let colors = try await store.history(of: hat, \.color)  // blue, then red
    // end
    #expect(hats.map { $0.shop?.loaded?.name } == ["Fedora & Sons"])
    #expect(colors.map(\.value) == ["blue", "red"])
    #expect(colors.map(\.author) == ["ana", nil])
    // snippet: Sources/Varve/Varve.docc/Models.md
    let shops = try await store.fetch(Shop.all.with(\.hats) { $0.order(by: \.color) })
    print(shops[0].hats.loaded?.map(\.color) ?? [])
    try await store.erase(shop)  // and its hats
    // end
    #expect(shops[0].hats.loaded?.map(\.color) == ["blue"])
    try await store.restore(shop.id.entityID)
    // snippet: Sources/Varve/Varve.docc/Models.md
    try await store.write { tx in
      var fresh = try await tx.require(hat.id)
      fresh.brimSize += 1
      try await tx.save(fresh)
    }
    // end
    #expect(try await store.require(hat.id).brimSize == 13)
    try await store.erase(shop)
    #expect(try await store.isEmpty(Hat.all))
  }

  @Test("README")
  func readme() async throws {
    let store = try await Store.open(.inMemory)
    // snippet: README.md
    let cap = try await store.as("sam").save(Cap(color: "red"))
    let small = Cap.where { $0.color == "red" && $0.size < 60 }.order(by: \.size)
    let caps = try await store.fetch(small)  // or store.asOf(lastMonday).fetch(small)
    let colors = try await store.history(of: cap, \.color)
    // end
    #expect(caps == [cap])
    #expect(colors.map(\.author) == ["sam"])
  }

  @Test("when models change")
  func evolution() async throws {
    let store = try await Store.open(.inMemory)
    try await store.save(Hat(color: "red", brimSize: 7))
    try await store.create("hats", ["color": ["blue", "white"], "brim": 9, "material": "straw"])
    let hats = try await store.fetch(Headwear.all)
    #expect(hats.map(\.brim) == [7, 9])
    #expect(hats.map(\.colors) == [["red"], ["blue", "white"]])
    #expect(hats.map(\.material) == ["felt", "straw"])
    try await store.save(hats)
    #expect(try await store.count(Query("hats").where(Field("brim_size").isMissing)) == 2)
  }
}

// snippet: Sources/Varve/Varve.docc/Models.md
@Entity("hats") struct Headwear {
  var id = Identifier<Headwear>()
  @Field(.renamed(from: "brim_size")) var brim: Int
  @Field("color", .converted { .array([$0]) }) var colors: [String]  // one text before
  var material = "felt"  // missing in older rows
}
// end

// snippet: Sources/Varve/Varve.docc/Models.md
@Entity struct Scarf: Hashable {
  var id = Identifier<Scarf>()
  var color: String
}
// end

@Suite("The examples of equality behave as documented")
struct EqualityExampleTests {
  @Test("an edited model")
  func edited() {
    // snippet: Sources/Varve/Varve.docc/Models.md
    let scarf = Scarf(color: "red")
    var edited = scarf
    edited.color = "blue"
    print(edited == scarf, edited.isSameEntity(as: scarf))  // false true
    // end
    #expect(edited != scarf && edited.isSameEntity(as: scarf))
  }

  @Test("names of entities")
  func names() {
    // snippet: Sources/VarveStore/VarveStore.docc/NamesOfEntities.md
    let id: EntityID = "hat-1"
    let typed = Identifier<Hat>(id)
    let back = typed.entityID
    let ref = Ref<Hat>(typed)
    let reference = EntityReference(id)
    let alias = Alias(id, as: Hat.entityType)
    // end
    #expect(back == id && ref.id == typed && reference.id == id && alias.id == id)
  }
}

// snippet: Sources/Varve/Varve.docc/Models.md
nonisolated struct Measure: Codable {
  var width: Double
  var depth: Double?
}

@Entity nonisolated struct Crate {
  var id = Identifier<Crate>()
  var inside: Measure
  var lid: Measure?
  var drawers: [String: Measure] = [:]
}
// end
