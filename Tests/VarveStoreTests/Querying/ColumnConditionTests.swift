import Foundation
import Testing
import VarveCore
import VarveStore

/// A model with properties to compare with each other.
private struct Ware: Persistable {
  struct Maker: Codable, Sendable, Equatable {
    var city: String
    var founded: Int
  }

  static let schema = Schema<Ware>("wares") {
    SchemaField("name", \.name)
    SchemaField("alias", \.alias)
    SchemaField("price", \.price)
    SchemaField("cost", \.cost)
    SchemaField("tags", \.tags)
    SchemaField("maker", \.maker)
    SchemaField("parent", \.parent)
  }
  var id: Identifier<Ware>
  var name: String
  var alias: String?
  var price: Decimal
  var cost: Decimal?
  var tags: [String] = []
  var maker: Maker?
  var parent: Ref<Ware>?

  init(_ id: EntityID, _ name: String, price: Decimal, cost: Decimal? = nil) {
    (self.id, self.name, self.price, self.cost) = (Identifier(id), name, price, cost)
  }

  init(row: EntityRow) throws {
    id = try row.id()
    name = try row.read(0)
    alias = try row.read(1)
    price = try row.read(2)
    cost = try row.read(3)
    tags = try row.read(4)
    maker = try row.read(5)
    parent = try row.read(6)
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(name)
    try values.append(alias)
    try values.append(price)
    try values.append(cost)
    try values.append(tags)
    try values.append(maker)
    try values.append(parent)
  }
}

@Suite("Conditions on columns of models")
struct ColumnConditionTests {
  private func store(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    var (hat, cap, veil) = (
      Ware("w1", "Hat", price: 10, cost: Decimal(string: "9.50")),
      Ware("w2", "cap", price: 5, cost: Decimal(string: "5.00")), Ware("w3", "HAT", price: 1)
    )
    hat.alias = "hat"
    cap.alias = "cap"
    (hat.tags, cap.tags) = (["New", "sale"], ["old"])
    hat.maker = Ware.Maker(city: "Rome", founded: 1900)
    (cap.parent, veil.parent) = (cap.ref, hat.ref)
    try await store.save([hat, cap, veil])
    return store
  }

  private func ids(_ reading: some Reading, _ query: TypedQuery<Ware>) async throws -> [String] {
    try await reading.fetch(query).map(\.id.text)
  }

  /// The same in every state that holds the wares.
  private func expect(
    _ query: TypedQuery<Ware>,
    _ expected: [String],
    _ store: Store,
    _ frontier: Frontier
  ) async throws {
    #expect(try await ids(store.asOf(frontier), query) == expected)
    let within = try await store.write { tx in try await ids(tx, query) }
    #expect(within == ["w1"])
    #expect(try await ids(store, query) == ["w1"])
  }

  @Test(arguments: Engine.allCases)
  func `compare one property with another, now and then`(engine: Engine) async throws {
    let store = try await store(engine)
    let frontier = try await store.frontier()
    #expect(try await ids(store, Ware.where { $0.price == $0.cost }) == ["w2"])
    #expect(try await ids(store, Ware.where { $0.price != $0.cost }) == ["w1"])
    #expect(try await ids(store, Ware.where { $0.name == $0.alias }) == ["w2"])
    #expect(try await ids(store, Ware.where { $0.alias == $0.name }) == ["w2"])
    #expect(try await ids(store, Ware.where { $0.cost <= $0.price }) == ["w1", "w2"])
    #expect(try await ids(store, Ware.where { !($0.cost <= $0.price) }) == [])
    #expect(try await ids(store, Ware.where { $0.parent == $0.id }) == ["w2"])
    #expect(try await ids(store, Ware.where { $0.name.ignoringCase == $0.alias }) == ["w1", "w2"])
    try await store.set("w2", "price", "4.5")
    try await expect(Ware.where { $0.price >= $0.cost }, ["w1", "w2"], store, frontier)
    try await expect(Ware.where { $0.cost < $0.price }, ["w1"], store, frontier)
  }

  @Test(arguments: Engine.allCases)
  func `compare the properties of joined models`(engine: Engine) async throws {
    let store = try await store(engine)
    let joined = Ware.all.join(Ware.self, on: \.id, equals: \.parent)
    let dearer = joined.where(joined: Ware.self) { ware, parent in parent.price > ware.price }
    #expect(try await ids(store, dearer) == ["w3"])
    let same = joined.where(joined: Ware.self) { ware, parent in ware.id == parent.id }
    #expect(try await ids(store, same) == ["w2"])
  }

  @Test(arguments: Engine.allCases)
  func `ignore case in conditions and orders`(engine: Engine) async throws {
    let store = try await store(engine)
    #expect(try await ids(store, Ware.where { $0.name.ignoringCase == "hat" }) == ["w1", "w3"])
    #expect(try await ids(store, Ware.where { $0.name.ignoringCase.hasPrefix("C") }) == ["w2"])
    #expect(
      try await ids(store, Ware.where { $0.alias.ignoringCase.contains("A") }) == ["w1", "w2"]
    )
    #expect(try await ids(store, Ware.where { $0.name.ignoringCase.isIn(["CAP"]) }) == ["w2"])
    let ordered = Ware.all.order { $0.name.ignoringCase }
    #expect(try await ids(store, ordered) == ["w2", "w1", "w3"])
    let page = try await store.page(of: ordered, size: 2)
    #expect(page.models.map(\.id.text) == ["w2", "w1"])
    let rest = try await store.page(of: ordered, size: 2, after: page.next)
    #expect(rest.models.map(\.id.text) == ["w3"])
    let groups = try await store.aggregate(
      Query("wares"),
      by: [Field("name").ignoringCase],
      [Aggregation(.count)]
    )
    #expect(groups.map(\.keys) == [["cap"], ["hat"]])
    #expect(groups.map(\.values) == [[1], [2]])
  }

  @Test(arguments: Engine.allCases)
  func `look inside coded values and lists`(engine: Engine) async throws {
    let store = try await store(engine)
    let romans = Ware.where { $0.maker["city", as: String.self] == "Rome" }
    #expect(try await ids(store, romans) == ["w1"])
    #expect(try await ids(store, Ware.where { $0.maker["founded", as: Int.self] > 1_950 }) == [])
    #expect(try await ids(store, Ware.where { $0.tags.includes("old") }) == ["w2"])
    #expect(try await ids(store, Ware.where { !$0.tags.includes("old") }) == ["w1", "w3"])
    #expect(try await ids(store, Ware.where { $0.tags[1, as: String.self] == "sale" }) == ["w1"])
    let byCity = Ware.all.order(descending: true) { $0.maker["city", as: String.self] }
    #expect(try await ids(store, byCity.limit(1)) == ["w1"])
  }
}
