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

// snippet: Documentation/Tutorial.md
@Entity struct Bonnet {
  var id = Identifier<Bonnet>()
  @Field(.length(1...40)) var color: String
  var size = 58
}
// end

@Suite("The examples of models behave as documented")
struct ModelExampleTests {
  @Test func `declaring and relations`() async throws {
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

  @Test func `r e a d m e`() async throws {
    let lastMonday = Date(timeIntervalSinceNow: -3 * 86_400)
    // snippet: README.md
    let store = try await Store.open(.inMemory)  // a file: Store.open("caps.varve")
    var cap = try await store.as("sam").save(Cap(color: "red"))
    cap.color = "blue"
    try await store.as("ana").save(cap)  // writes what changed

    let small = Cap.where { $0.color == "blue" && $0.size < 60 }.order(by: \.size)
    let caps = try await store.fetch(small)
    let then = try await store.asOf(lastMonday).fetch(small)  // the same query on a past state
    let colors = try await store.history(of: cap, \.color)  // blue by ana, red by sam
    // end
    #expect(caps == [cap])
    #expect(then.isEmpty)
    #expect(colors.map(\.value) == ["blue", "red"])
    #expect(colors.map(\.author) == ["ana", "sam"])
  }

  @Test func `the tutorial of models runs`() async throws {
    let folder = NSTemporaryDirectory() + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // snippet: Documentation/Tutorial.md
    let shelf = try await Store.open(.file(folder + "/shelf.varve"))
    var bonnet = try await shelf.as("sam").save(Bonnet(color: "red"))
    bonnet.color = "blue"
    try await shelf.as("ana").save(bonnet)
    for version in try await shelf.history(of: bonnet, \.color) {
      print(version.value ?? "removed", version.author ?? "-")  // blue ana, red sam
    }
    // end
    #expect(try await shelf.history(of: bonnet, \.color).map(\.value) == ["blue", "red"])
    // snippet: Documentation/Tutorial.md
    let laptop = try await Store.open(.file(folder + "/laptop.varve"))
    try await laptop.sync(with: shelf)
    try await laptop.as("ben").update(bonnet.id) { $0.set(\.size, 60) }
    try await shelf.as("ana").update(bonnet.id) { $0.set(\.color, "green") }
    try await laptop.sync(with: shelf)
    let (here, there) = (try await shelf.require(bonnet.id), try await laptop.require(bonnet.id))
    print(here.color, here.size, there.color, there.size)  // green 60 green 60
    // end
    #expect(here == there && here.color == "green" && here.size == 60)
    #expect(there.color == "green" && there.size == 60)
    try await shelf.close()
    try await laptop.close()
  }

  @Test func `when models change`() async throws {
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
  @Test func `an edited model`() {
    // snippet: Sources/Varve/Varve.docc/Models.md
    let scarf = Scarf(color: "red")
    var edited = scarf
    edited.color = "blue"
    print(edited == scarf, edited.isSameEntity(as: scarf))  // false true
    // end
    #expect(edited != scarf && edited.isSameEntity(as: scarf))
  }

  @Test func `names of entities`() {
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
