import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// A model with simple rules, and dates.
private struct Mug: Persistable {
  static let schema = Schema<Mug>("mugs") {
    SchemaField("price", \.price, .range(0...100))
    SchemaField("code", \.code, .unique)
    SchemaField("label", \.label, .renamed(from: "title"))
    SchemaField("shelf", \.shelf)
    SchemaField("updated_at", \.updatedAt, .updatedAt)
  }
  var id: Identifier<Mug>
  var price: Int
  var code: String?
  var label: String?
  var shelf: Ref<Shelf>?
  var updatedAt: Date?
  init(_ id: Identifier<Mug>, price: Int) { (self.id, self.price) = (id, price) }
  init(row: EntityRow) throws {
    id = try row.id()
    price = try row.read(0)
    code = try row.read(1)
    label = try row.read(2)
    shelf = try row.read(3)
    updatedAt = try row.read(4)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(price)
    try values.append(code)
    try values.append(label)
    try values.append(shelf)
    try values.append(updatedAt)
  }
}

/// A model that owns mugs, and has a rule of its own.
private struct Shelf: Persistable {
  static let schema = Schema<Shelf>("shelves") {
    SchemaField("width", \.width)
    SchemaField("depth", \.depth)
    SchemaField("mugs", \.mugs, .relation(.owns, inverse: \Mug.shelf))
  }
  var id: Identifier<Shelf>
  var width: Int
  var depth: Int
  var mugs = Many<Mug>()
  init(_ id: Identifier<Shelf>, width: Int, depth: Int) {
    (self.id, self.width, self.depth) = (id, width, depth)
  }
  init(row: EntityRow) throws {
    id = try row.id()
    width = try row.read(0)
    depth = try row.read(1)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(width)
    try values.append(depth)
  }
  func validate(_ validation: Validation) -> Validation {
    width >= depth ? validation : validation.adding(key: "width", message: "narrow")
  }
}

@Suite("Writing to all models of a query")
struct UpdateModelsTests {
  private let clock = TestClock()

  private func makeMugs(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine, clock: clock)
    try await store.save(
      (0..<5).map { Mug(Identifier(EntityID(stringLiteral: "mug-\($0)")), price: $0 * 10) }
    )
    clock.advance(by: 60_000)
    return store
  }

  @Test(arguments: Engine.allCases)
  func `sets properties, and the date where something changed`(engine: Engine) async throws {
    let store = try await makeMugs(engine)
    let dear = Mug.where { $0.price >= 30 }
    #expect(try await store.update(dear) { $0.set(\.price, 40) } == 1)
    let mugs = try await store.fetch(Mug.all)
    #expect(mugs.map(\.price) == [0, 10, 20, 40, 40])
    let first = mugs[0].updatedAt
    #expect(first != nil && mugs.map { $0.updatedAt == first } == [true, true, true, false, true])
    #expect(try await store.update(dear) { $0.set(\.price, 40) } == 0)
    #expect(try await store.commitCount() == 2)
    try await store.merge(from: store.copied(engine, clock))
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `refuses what the rules refuse, and writes nothing`(engine: Engine) async throws {
    let store = try await makeMugs(engine)
    let error = await failure { try await store.update(Mug.all) { $0.set(\.price, 500) } }
    #expect(error?.code == .validationFailed)
    #expect(error?.violations.map(\.key) == ["price"])
    try await store.save([Shelf("a", width: 5, depth: 1), Shelf("b", width: 9, depth: 8)])
    let own = await failure { try await store.update(Shelf.all) { $0.set(\.width, 5) } }
    #expect(own?.violations.map(\.message) == ["narrow"])
    #expect(try await store.fetch(Shelf.all).map(\.width) == [5, 9])
    let both = try await store.update(Shelf.all) {
      $0.set(\.width, 1)
      $0.set(\.width, 6)
      $0.set(\.depth, 6)
    }
    #expect(both == 2)
    let unknown = await failure { try await store.update(Mug.all) { $0.set(\.id, "x") } }
    #expect(unknown?.code == .unknownProperty)
  }

  @Test(arguments: Engine.allCases)
  func `writing to all models of a query refuses values that would not be unique`(engine: Engine)
    async throws
  {
    let store = try await makeMugs(engine)
    let error = await failure { try await store.update(Mug.all) { $0.set(\.code, "x") } }
    #expect(error?.violations.map(\.message) == ["taken"])
    let first = Mug.where { $0.price == 0 }
    #expect(try await store.update(first) { $0.set(\.code, "x") } == 1)
    #expect(try await store.update(Mug.all) { $0.set(\.code, nil) } == 1)
  }

  @Test(arguments: Engine.allCases)
  func `writing to all models of a query moves the edges of relations`(engine: Engine) async throws
  {
    let store = try await makeMugs(engine)
    try await store.save([Shelf("a", width: 2, depth: 1), Shelf("b", width: 2, depth: 1)])
    #expect(try await store.update(Mug.all) { $0.set(\.shelf, Ref(Identifier("a"))) } == 5)
    let dear = Mug.where { $0.price > 20 }
    #expect(try await store.update(dear) { $0.set(\.shelf, Ref(Identifier("b"))) } == 2)
    #expect(try await store.relatedIDs("b", .owns, named: "mugs").count == 2)
    #expect(try await store.erase("a").count == 4)
    #expect(try await store.issues(of: Mug.self).isEmpty)
    let many = Many<Mug>(ids: ["mug-3"])
    #expect(try await store.update(Shelf.all) { $0.set(\.mugs, many) } == 1)
    #expect(try await store.find(Identifier<Mug>("mug-4"))?.shelf == nil)
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `writing to all models of a query moves values from older names`(engine: Engine) async throws
  {
    let store = try await makeMugs(engine)
    try await store.set("mug-1", "title", "old")
    #expect(try await store.update(Mug.all) { $0.set(\.label, nil) } == 1)
    #expect(try await store.require("mug-1")["title"] == nil)
    #expect(try await store.update(Mug.all) { $0.set(\.label, "new") } == 5)
  }

  @Test(arguments: Engine.allCases)
  func `writing to all models of a query changes rows that cannot be read as the model`(
    engine: Engine
  ) async throws {
    let store = try await makeMugs(engine)
    try await store.remove("mug-0", "price")
    #expect(try await store.fetch(Mug.all).count == 4)
    #expect(try await store.update(Mug.all) { $0.set(\.price, 7) } == 5)
    #expect(try await store.fetch(Mug.all).map(\.price) == [7, 7, 7, 7, 7])
  }

  @Test(arguments: Engine.allCases)
  func `writing to all models of a query erases what a query finds`(engine: Engine) async throws {
    let store = try await makeMugs(engine)
    #expect(try await store.erase(Mug.where { $0.price < 20 }) == ["mug-0", "mug-1"])
    let died = try await store.write { try await $0.erase(Mug.all.limit(1)) }
    #expect(died == ["mug-2"])
    #expect(try await store.count(Mug.all) == 2)
  }

  @Test(arguments: Engine.allCases)
  func `writing to all models of a query does what saving one after the other does`(engine: Engine)
    async throws
  {
    let (whole, single) = (try await makeMugs(engine), try await makeStore(engine, clock: clock))
    clock.advance(by: -60_000)
    try await single.save(
      (0..<5).map { Mug(Identifier(EntityID(stringLiteral: "mug-\($0)")), price: $0 * 10) }
    )
    clock.advance(by: 60_000)
    let query = Mug.where { $0.price != 20 }
    try await whole.update(query) {
      $0.set(\.price, 30)
      $0.set(\.label, "x")
    }
    try await single.write { tx in
      for var mug in try await tx.fetch(query) {
        (mug.price, mug.label) = (30, "x")
        try await tx.save(mug)
      }
    }
    for index in 0..<5 {
      let id = EntityID(stringLiteral: "mug-\(index)")
      let (one, other) = (try await whole.require(id), try await single.require(id))
      #expect(one.properties == other.properties)
      let versions = try await whole.history(of: id).count
      #expect(try await versions == single.history(of: id).count)
    }
  }
}

extension Store {
  /// Another copy of the store.
  fileprivate func copied(_ engine: Engine, _ clock: TestClock) async throws -> Store {
    let copy = try await makeStore(engine, clock: clock)
    try await copy.merge(from: self)
    return copy
  }
}
