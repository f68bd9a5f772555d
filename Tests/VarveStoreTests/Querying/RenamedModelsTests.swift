import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

private enum Before {
  struct Owner: Persistable {
    static let schema = Schema<Owner>("owners") {
      SchemaField("title", \.title, .unique)
      SchemaField("born", \.createdAt, .createdAt)
      SchemaField("pets", \.pets, .relation(.owns, inverse: \Pet.master))
      SchemaField("toys", \.toys, .relation(.owns, as: .list))
    }
    var id = Identifier<Owner>()
    var title: String
    var createdAt: Date?
    var pets = Many<Pet>()
    var toys = Many<Pet>()
    init(_ id: Identifier<Owner>, _ title: String) { (self.id, self.title) = (id, title) }
    init(row: EntityRow) throws {
      id = try row.id()
      title = try row.read(0)
      createdAt = try row.read(1)
    }
    func write(to values: inout PropertyValues) throws {
      try values.append(title)
      try values.append(createdAt)
    }
  }

  struct Pet: Persistable {
    static let schema = Schema<Pet>("pets") { SchemaField("master", \.master) }
    var id = Identifier<Pet>()
    var master: Ref<Owner>?
    init(_ id: Identifier<Pet>, of master: Owner? = nil) {
      (self.id, self.master) = (id, master?.ref)
    }
    init(row: EntityRow) throws {
      id = try row.id()
      master = try row.read(0)
    }
    func write(to values: inout PropertyValues) throws { try values.append(master) }
  }
}

private enum After {
  struct Owner: Persistable {
    static let schema = Schema<Owner>("owners") {
      SchemaField("name", \.name, .unique, .renamed(from: "title"))
      SchemaField("created", \.createdAt, .createdAt, .renamed(from: "born"))
      SchemaField(
        "animals",
        \.animals,
        .relation(.owns, inverse: \Pet.keeper),
        .renamed(from: "pets")
      )
      SchemaField("things", \.things, .relation(.owns, as: .list), .renamed(from: "toys"))
    }
    var id = Identifier<Owner>()
    var name: String
    var createdAt: Date?
    var animals = Many<Pet>()
    var things = Many<Pet>()
    init(_ id: Identifier<Owner>, _ name: String) { (self.id, self.name) = (id, name) }
    init(row: EntityRow) throws {
      id = try row.id()
      name = try row.read(0)
      createdAt = try row.read(1)
    }
    func write(to values: inout PropertyValues) throws {
      try values.append(name)
      try values.append(createdAt)
    }
  }

  struct Pet: Persistable {
    static let schema = Schema<Pet>("pets") {
      SchemaField("keeper", \.keeper, .renamed(from: "master"))
    }
    var id = Identifier<Pet>()
    var keeper: Ref<Owner>?
    init(row: EntityRow) throws {
      id = try row.id()
      keeper = try row.read(0)
    }
    func write(to values: inout PropertyValues) throws { try values.append(keeper) }
  }
}

@Suite("Rows under older names of their properties")
struct RenamedModelsTests {
  /// Two owners; the first one has two pets, and a list of both.
  private func store(_ engine: Engine, _ clock: TestClock = TestClock()) async throws -> Store {
    let store = try await makeStore(engine, clock: clock)
    var ann = Before.Owner("ann", "Ann")
    let pets = [Before.Pet("p1", of: ann), Before.Pet("p2", of: ann)]
    try await store.save([ann, Before.Owner("ben", "Ben")])
    try await store.save(pets)
    ann.toys = [pets[1], pets[0]]
    try await store.save(ann)
    return store
  }

  private func owner(_ id: Identifier<After.Owner>, in store: Store) async throws -> After.Owner {
    try await store.require(id)
  }

  @Test(arguments: Engine.allCases)
  func `are found by relations, and by joins from either end`(engine: Engine) async throws {
    let store = try await store(engine)
    let ann = try await owner("ann", in: store)
    #expect(try await store.count(ann.toMany(After.Pet.self)) == 2)
    #expect(try await store.count(ann.toMany(After.Pet.self, foreignKey: "master")) == 2)
    #expect(try await store.count(ann.query(\.animals)) == 2)
    let pets = After.Pet.all.join(After.Owner.self, on: \.id, equals: \.keeper)
    #expect(try await store.count(pets) == 2)
    let anns = pets.where(joined: After.Owner.self) { $0.name == "Ann" }
    #expect(try await store.count(anns) == 2)
    let owners = After.Owner.all.join(After.Pet.self, on: \.keeper, equals: \.id)
    #expect(try await store.count(owners) == 2)
    #expect(try await store.count(owners.distinct) == 1)
    let all = After.Owner.all.order(by: \.name).with(\.animals).with(\.things)
    let loaded = try await store.fetch(all)
    #expect(loaded.map { $0.animals.loaded?.map(\.id) ?? [] } == [["p1", "p2"], []])
    #expect(loaded.map { $0.things.loaded?.map(\.id) ?? [] } == [["p2", "p1"], []])
    let pet = try await store.first(After.Pet.all.with(\.keeper))
    #expect(pet?.keeper?.loaded?.name == "Ann")
    // A row written since then uses the new name; older rows keep the old one.
    try await store.create("pets", id: "p3", ["keeper": .reference("ben")])
    #expect(try await store.count(pets) == 3)
    #expect(try await store.count(owners.distinct) == 2)
  }

  @Test(arguments: Engine.allCases)
  func `rows under older names of their properties leave the owner they are moved from`(
    engine: Engine
  ) async throws {
    let store = try await store(engine)
    let (ann, ben) = (try await owner("ann", in: store), try await owner("ben", in: store))
    var pet = try await store.require(Identifier<After.Pet>("p1"))
    pet.keeper = ben.ref
    try await store.save(pet)
    var list = ann
    list.things = []
    try await store.save(list)
    try await store.erase(ann)
    #expect(try await store.find(Identifier<After.Pet>("p1"))?.keeper == ben.ref)
    #expect(try await store.find(Identifier<After.Pet>("p2")) == nil)
    try await store.erase(ben)
    #expect(try await store.find(Identifier<After.Pet>("p1")) == nil)
  }

  @Test(arguments: Engine.allCases)
  func `are replaced when a to-many relation is assigned`(engine: Engine) async throws {
    let store = try await store(engine)
    var ann = try await owner("ann", in: store)
    ann.animals = Many(ids: ["p2"])
    ann.things = Many(ids: ["p1", "p2"])
    try await store.save(ann)
    #expect(try await store.fetch(ann.toMany(After.Pet.self)).map(\.id) == ["p2"])
    #expect(try await store.entity("p1")?["master"] == nil)
    #expect(try await store.collection(of: "ann", "things") == ["p1", "p2"])
    #expect(try await store.collection(of: "ann", "toys") == nil)
    ann.things = []
    try await store.save(ann)
    #expect(try await store.first(After.Owner.all.with(\.things))?.things.loaded == [])
    #expect(try await store.relatedIDs("ann", .owns) == ["p2"])
    try await store.erase(ann)
    #expect(try await store.find(Identifier<After.Pet>("p1"))?.keeper == nil)
    #expect(try await store.find(Identifier<After.Pet>("p2")) == nil)
  }

  @Test(arguments: Engine.allCases)
  func `keep the date they were created, and are unique as before`(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await store(engine, clock)
    let date = try await store.entity("ann")?["born"]
    // A double that a merge might have brought.
    try await store.create("owners", id: "other", ["title": "Ann"])
    clock.advance(by: 5_000)
    var ann = try await owner("ann", in: store)
    ann.createdAt = nil
    try await store.save(ann)
    #expect(try await store.entity("ann")?["created"] == date)
    ann.id = "new"
    let error = await failure { [ann] in _ = try await store.save(ann) }
    #expect(error?.code == .validationFailed)
  }

  @Test(arguments: Engine.allCases)
  func `are read whatever kind their values are of`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("tags", id: "a", ["old": "x"])
    try await store.create("tags", id: "b", ["old": 2])
    #expect(try await store.fetch(Tag.all).map(\.value) == ["x", 2])
    #expect(try await store.fetch(Tag.where { $0.value == 2 }).map(\.id) == ["b"])
    // A value under the new name hides the old one, whatever its type.
    try await store.set("a", "new", true)
    #expect(try await store.fetch(Tag.all).map(\.value) == [true, 2])
    #expect(try await store.count(Tag.where { $0.value == "x" }) == 0)
    #expect(try await store.fetch(Tag.all.order(by: \.value)).map(\.id) == ["a", "b"])
    try await store.set("b", "new", .double(.nan))
    #expect(try await store.count(Tag.where { $0.value == 2 }) == 0)
  }
}

private struct Tag: Persistable {
  static let schema = Schema<Tag>("tags") { SchemaField("new", \.value, .renamed(from: "old")) }
  var id = Identifier<Tag>()
  var value: Value?
  init(row: EntityRow) throws {
    id = try row.id()
    value = try row.read(0)
  }
  func write(to values: inout PropertyValues) throws { try values.append(value) }
}
