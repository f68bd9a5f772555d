import Testing
import VarveCore
import VarveStore

/// Relations in queries follow references, and nothing that only looks like one.
@Suite struct RelatedReferenceTests {
  private static let shops = RelatedEntities.referring("Hat", by: "shop")

  /// A shop, two hats that refer to it, and one whose text equals its identifier.
  private func store(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    try await store.create("Shop", id: "s", ["name": "Chapeau"])
    try await store.create("Hat", id: "a", ["shop": .reference("s"), "size": 1])
    try await store.create("Hat", id: "b", ["shop": .string("s"), "size": 2])
    try await store.create("Hat", id: "c", ["shop": .reference("s"), "size": 4])
    return store
  }

  private func ids(_ state: some Reading, _ query: Query) async throws -> [EntityID] {
    try await state.fetch(query).map(\.id)
  }

  @Test(arguments: Engine.allCases)
  func `a text that equals an identifier has no target`(engine: Engine) async throws {
    let store = try await store(engine)
    let past = try await store.frontier()
    try await store.set("b", "size", 3)
    for state in [store, store.asOf(past)] as [any Reading] {
      let name = Field("shop").target("Shop", Field("name"))
      #expect(try await ids(state, Query("Hat").where(name == "Chapeau")) == ["a", "c"])
      #expect(try await ids(state, Query("Hat").where(name.isMissing)) == ["b"])
      #expect(try await ids(state, Query("Hat").order(by: name)) == ["b", "a", "c"])
      let groups = try await state.aggregate(Query("Hat"), by: [name], [Aggregation(.count)])
      #expect(groups.map(\.keys) == [[nil], ["Chapeau"]])
      #expect(groups.map(\.values) == [[1], [2]])
    }
  }

  @Test(arguments: Engine.allCases)
  func `a text that equals an identifier does not refer to it`(engine: Engine) async throws {
    let store = try await store(engine)
    let two = Query("Shop").where(Self.shops.count == 2)
    #expect(try await ids(store, two) == ["s"])
    #expect(try await ids(store, Query("Shop").where(Self.shops.sum(Field("size")) == 5)) == ["s"])
    let second = Self.shops.where(Field("size") == 2)
    #expect(try await ids(store, Query("Shop").where(second.exists)) == [])
    try await store.set("b", "shop", .reference("s"))
    #expect(try await ids(store, Query("Shop").where(second.exists)) == ["s"])
    try await store.remove("b", "shop")
    #expect(try await ids(store, two) == ["s"])
  }

  @Test(arguments: Engine.allCases)
  func `texts alone refer to nothing`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Shop", id: "s", ["name": "Chapeau"])
    try await store.create("Hat", id: "a", ["shop": .string("s")])
    let name = Field("shop").target("Shop", Field("name"))
    #expect(try await ids(store, Query("Hat").where(!name.isMissing)) == [])
    #expect(try await ids(store, Query("Shop").where(Self.shops.exists)) == [])
  }

  @Test(arguments: Engine.allCases)
  func `a reference inside an array or a dictionary has a target`(engine: Engine) async throws {
    let store = try await store(engine)
    try await store.set("a", "sold", .array([.string("s"), .reference("s")]))
    try await store.set("b", "sold", .dictionary(["by": .reference("s")]))
    func found(_ field: Field) async throws -> [EntityID] {
      let name = field.target("Shop", Field("name"))
      return try await ids(store, Query("Hat").where(name == "Chapeau"))
    }
    #expect(try await found(Field("sold")[0]) == [])
    #expect(try await found(Field("sold")[1]) == ["a"])
    #expect(try await found(Field("sold")["by"]) == ["b"])
    #expect(try await found(Field("sold")) == [])
  }

  @Test(arguments: Engine.allCases)
  func `the case of a reference counts`(engine: Engine) async throws {
    let store = try await store(engine)
    try await store.create("Hat", id: "d", ["shop": .reference("S")])
    let name = Field("shop").ignoringCase.target("Shop", Field("name"))
    #expect(try await ids(store, Query("Hat").where(name == "Chapeau")) == ["a", "c"])
  }
}

/// Full-text searches of related entities.
@Suite struct RelatedSearchTests {
  @Test(arguments: [Engine.memory, .file])
  func `related entities are searched, in any state`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    for shop: EntityID in ["s", "t"] { try await store.create("Shop", id: shop) }
    try await store.create("Hat", id: "a", ["shop": .reference("s"), "note": "red wool"])
    try await store.create("Hat", id: "b", ["shop": .reference("t"), "note": "red felt"])
    let past = try await store.frontier()
    try await store.set("b", "note", "blue wool")
    let hats = RelatedEntities.referring("Hat", by: "shop")
    func shops(_ state: some Reading, _ words: String) async throws -> [EntityID] {
      let found = hats.where(Condition.matches(words, [Field("note")]))
      let ids = try await state.fetch(Query("Shop").where(found.exists)).map(\.id)
      let counted = try await state.fetch(Query("Shop").where(found.count == 1)).map(\.id)
      #expect(ids == counted)
      let sorted = Query("Shop").order(by: found.count, descending: true).limit(ids.count)
      #expect(try await Set(state.fetch(sorted).map(\.id)) == Set(ids))
      return ids
    }
    #expect(try await shops(store, "wool") == ["s", "t"])
    #expect(try await shops(store, "fel*") == [])
    #expect(try await shops(store.asOf(past), "wool") == ["s"])
    #expect(try await shops(store.asOf(past), "fel*") == ["t"])
    let beside = hats.where(
      Condition.matches("wool", [Field("note")]) && Field("note").hasPrefix("blue")
    )
    #expect(try await store.fetch(Query("Shop").where(!beside.exists)).map(\.id) == ["s"])
    let owner = Field("shop").target("Shop", .identifier)
    let within = RelatedEntities.elements(of: "hats", "Hat")
      .where(Condition.matches("blue", [Field("note")]))
    try await store.setCollection("s", "hats", to: ["a", "b"])
    #expect(try await store.fetch(Query("Shop").where(within.exists)).map(\.id) == ["s"])
    let own = Query("Hat").where(Condition.matches("wool", [Field("note")]) && owner == "t")
    #expect(try await store.fetch(own).map(\.id) == ["b"])
  }

  @Test(arguments: [Engine.memory, .file])
  func `a search decides what is changed by related entities`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    for shop: EntityID in ["s", "t"] { try await store.create("Shop", id: shop) }
    try await store.create("Hat", id: "a", ["shop": .reference("s"), "note": "red wool"])
    try await store.addSearch(on: ["note"], of: "Hat")
    let found = RelatedEntities.referring("Hat", by: "shop")
      .where(Condition.matches("wool", [Field("note")]))
    try await store.update(Query("Shop").where(found.exists), ["warm": true])
    #expect(try await store.require("s")["warm"] == true)
    #expect(try await store.require("t")["warm"] == nil)
  }

  @Test func `a store without SQL refuses to search related entities`() async throws {
    let store = try await makeStore(.reference)
    let found = RelatedEntities.referring("Hat", by: "shop")
      .where(Condition.matches("wool", [Field("note")]))
    let error = await failure { _ = try await store.fetch(Query("Shop").where(found.exists)) }
    #expect(error?.code == .unsupported)
  }
}
