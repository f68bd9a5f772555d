import Foundation
import Testing
import VarveCore
import VarveStore

/// A shelf in a shelf, with things that refer to it and a list of favourites.
private struct Shelf: Persistable {
  static let schema = Schema<Shelf>("shelves") {
    SchemaField("name", \.name)
    SchemaField("limit", \.limit)
    SchemaField("parent", \.parent)
    SchemaField("tins", \.tins, .relation(inverse: \Tin.shelf))
    SchemaField("favourites", \.favourites, .relation(as: .list))
  }
  var id: Identifier<Shelf>
  var name: String
  var limit: Int?
  var parent: Ref<Shelf>?
  var tins = Many<Tin>()
  var favourites = Many<Tin>()

  init(_ id: EntityID, _ name: String, limit: Int? = nil, parent: EntityID? = nil) {
    (self.id, self.name, self.limit) = (Identifier(id), name, limit)
    self.parent = parent.map { Ref(Identifier($0)) }
  }
  init(row: EntityRow) throws {
    id = try row.id()
    name = try row.read(0)
    limit = try row.read(1)
    parent = try row.read(2)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(name)
    try values.append(limit)
    try values.append(parent)
  }
}

private struct Tin: Persistable {
  static let schema = Schema<Tin>("tins") {
    SchemaField("label", \.label)
    SchemaField("price", \.price)
    SchemaField("number", \.number)
    SchemaField("shelf", \.shelf)
  }
  var id: Identifier<Tin>
  var label: String
  var price: Decimal
  var number: Int?
  var shelf: Ref<Shelf>?

  init(_ id: EntityID, _ label: String, _ price: Decimal, _ number: Int?, on shelf: EntityID?) {
    (self.id, self.label, self.price, self.number) = (Identifier(id), label, price, number)
    self.shelf = shelf.map { Ref(Identifier($0)) }
  }
  init(row: EntityRow) throws {
    id = try row.id()
    label = try row.read(0)
    price = try row.read(1)
    number = try row.read(2)
    shelf = try row.read(3)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(label)
    try values.append(price)
    try values.append(number)
    try values.append(shelf)
  }
}

@Suite("Conditions and orders along relations")
struct RelatedModelTests {
  /// Shelf a with tins 1 and 2, b inside a with tin 3, c empty; tin 4 is on no shelf.
  private func store(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    try await store.save([
      Shelf("a", "Zinc", limit: 1), Shelf("b", "alder", limit: 9, parent: "a"), Shelf("c", "Beech"),
    ])
    try await store.save([
      Tin("t1", "tea", 9, 1, on: "a"), Tin("t2", "Oats", 10, nil, on: "a"),
      Tin("t3", "rice", 2, 5, on: "b"), Tin("t4", "rye", 1, 7, on: nil),
    ])
    try await store.setCollection("a", "favourites", to: ["t3", "t1", "t3", "gone"])
    return store
  }

  private func shelves(_ reading: some Reading, _ query: TypedQuery<Shelf>) async throws -> String {
    try await reading.fetch(query).map(\.id.text).joined()
  }

  private func tins(_ reading: some Reading, _ query: TypedQuery<Tin>) async throws -> String {
    try await reading.fetch(query).map(\.id.text).joined(separator: " ")
  }

  @Test(arguments: Engine.allCases)
  func `a property of a referenced model orders and limits`(engine: Engine) async throws {
    let store = try await store(engine)
    #expect(try await tins(store, Tin.all.order(by: \.shelf, \.name)) == "t4 t1 t2 t3")
    let byShelf = Tin.all.order(by: \.shelf, \.name, descending: true)
    #expect(try await tins(store, byShelf) == "t3 t1 t2 t4")
    let folded = Tin.all.order { $0.shelf.name.ignoringCase }
    #expect(try await tins(store, folded) == "t4 t3 t1 t2")
    #expect(try await tins(store, Tin.where { $0.shelf.name == "Zinc" }) == "t1 t2")
    #expect(try await tins(store, Tin.where { $0.shelf.name.isMissing }) == "t4")
    #expect(try await tins(store, Tin.where { $0.shelf.parent.name == "Zinc" }) == "t3")
    #expect(try await tins(store, Tin.where { $0.number < $0.shelf.limit }) == "t3")
    var (paged, mark): ([String], PageMark?) = ([], nil)
    repeat {
      let page = try await store.page(of: byShelf, size: 1, after: mark)
      paged += page.models.map(\.id.text)
      mark = page.next
    } while mark != nil
    #expect(paged == ["t3", "t1", "t2", "t4"])
    let groups = try await store.aggregate(
      Query("tins"),
      by: [Field("shelf").target("shelves", Field("name"))],
      [Aggregation(.count)]
    )
    #expect(groups.map(\.keys) == [[nil], ["Zinc"], ["alder"]])
    #expect(groups.map(\.values) == [[1], [2], [1]])
  }

  @Test(arguments: Engine.allCases)
  func `the models of a relation are counted, summed and compared`(engine: Engine) async throws {
    let store = try await store(engine)
    let past = try await store.frontier()
    let full = Shelf.where { $0.tins.count() > 1 }
    #expect(try await shelves(store, full) == "a")
    #expect(try await shelves(store, Shelf.where { $0.tins.count() == 0 }) == "c")
    #expect(try await shelves(store, Shelf.where { $0.tins.exist() }) == "ab")
    let dear = Shelf.where { $0.tins.exist { $0.price > 9 } }
    #expect(try await shelves(store, dear) == "a")
    #expect(try await shelves(store, Shelf.where { !$0.tins.exist { $0.price > 9 } }) == "bc")
    let sum = Shelf.all.order(descending: true) { $0.tins.models().sum(\.price) }
    #expect(try await shelves(store, sum) == "abc")
    #expect(try await shelves(store, Shelf.where { $0.tins.models().sum(\.price) == 19 }) == "a")
    #expect(
      try await shelves(store, Shelf.where { $0.tins.models().maximum(\.price) > 9.5 }) == "a"
    )
    #expect(
      try await shelves(store, Shelf.where { $0.tins.models().minimum(\.label) == "Oats" }) == "a"
    )
    #expect(
      try await shelves(store, Shelf.where { $0.tins.models().sum(\.number) > $0.limit }) == ""
    )
    #expect(
      try await shelves(store, Shelf.where { $0.tins.models().average(\.price) == 2 }) == "b"
    )
    let oats = Shelf.where { $0.tins.where { $0.label.ignoringCase == "OATS" }.count == 1 }
    #expect(try await shelves(store, oats) == "a")
    // Within relations, relations are followed on.
    let nested = Shelf.where { $0.tins.exist { $0.shelf.parent.name == "Zinc" } }
    #expect(try await shelves(store, nested) == "b")

    try await store.write { tx in
      try await tx.set("t2", "shelf", .reference("c"))
      try await tx.erase("t3")
      #expect(try await shelves(tx, full) == "")
      #expect(try await shelves(tx, dear) == "c")
    }
    #expect(try await shelves(store, Shelf.where { $0.tins.count() == 1 }) == "ac")
    #expect(try await shelves(store.asOf(past), full) == "a")
    #expect(try await shelves(store.asOf(past), dear) == "a")
    #expect(try await tins(store.asOf(past), Tin.where { $0.shelf.name == "Zinc" }) == "t1 t2")
  }

  @Test(arguments: Engine.allCases)
  func `the elements of lists are counted as often as they occur`(engine: Engine) async throws {
    let store = try await store(engine)
    let past = try await store.frontier()
    #expect(try await shelves(store, Shelf.where { $0.favourites.count() == 3 }) == "a")
    let sum = Shelf.where { $0.favourites.models().sum(\.price) == 13 }
    #expect(try await shelves(store, sum) == "a")
    #expect(
      try await shelves(store, Shelf.where { $0.favourites.exist { $0.label == "rye" } }) == ""
    )
    try await store.setCollection("b", "favourites", to: ["t4"])
    try await store.erase("t3")
    #expect(
      try await shelves(store, Shelf.where { $0.favourites.exist { $0.label == "rye" } }) == "b"
    )
    #expect(try await shelves(store, Shelf.where { $0.favourites.count() == 1 }) == "ab")
    #expect(try await shelves(store.asOf(past), sum) == "a")
    #expect(
      try await shelves(store.asOf(past), Shelf.where { $0.favourites.count() == 0 }) == "bc"
    )
  }

  @Test(arguments: Engine.allCases)
  func `a merge, an undo and a purge show in them`(engine: Engine) async throws {
    let store = try await store(engine)
    let copy = try await makeStore(engine)
    try await copy.merge(from: store)
    try await copy.save(Tin("t5", "salt", 1, 2, on: "c"))
    try await store.merge(from: copy)
    let counted = Shelf.where { $0.tins.count() == 1 }
    #expect(try await shelves(store, counted) == "bc")
    let (_, commit) = try await store.commit { tx in
      try await tx.set("t5", "shelf", .reference("a"))
    }
    #expect(try await shelves(store, Shelf.where { $0.tins.count() == 3 }) == "a")
    try await store.undo(try #require(commit).id)
    #expect(try await shelves(store, counted) == "bc")
    try await store.purge(["t5"])
    #expect(try await shelves(store, counted) == "b")
  }

  @Test(arguments: Engine.allCases)
  func `a sum that is too large is the same error as in aggregates`(engine: Engine) async throws {
    let store = try await store(engine)
    try await store.set("t1", "number", .int(.max))
    try await store.set("t2", "number", 1)
    let error = await failure {
      _ = try await store.fetch(Shelf.where { $0.tins.models().sum(\.number) > 1 })
    }
    #expect(error?.code == .valueTooLarge)
  }

  @Test(arguments: Engine.allCases)
  func `SQL and unknown properties are refused within relations`(engine: Engine) async throws {
    let store = try await store(engine)
    let related = RelatedEntities.referring("tins", by: "shelf").where(.sql("1", []))
    #expect(
      await failure { _ = try await store.fetch(Query("shelves").where(related.exists)) }?.code
        == .invalidQuery
    )
    let unknown = Shelf.where { $0.tins.where { _ in Field("wide") == 1 }.exist }
    #expect(await failure { _ = try await store.fetch(unknown) }?.code == .unknownProperty)
    let none = Query("shelves").where(RelatedEntities.referring("nothing", by: "x").count == 0)
    #expect(try await store.count(none) == 3)
  }

  @Test func `a live query follows what its relations depend on`() {
    let query = Shelf.where { $0.tins.exist { $0.price > 9 } }.untyped
    #expect(query.types == ["shelves", "tins"])
    let ordered = Tin.all.order(by: \.shelf, \.name).untyped
    #expect(ordered.types == ["shelves", "tins"])
  }
}
