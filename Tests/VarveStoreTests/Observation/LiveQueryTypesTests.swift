import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("A live query over several types")
struct LiveQueryTypesTests {
  @Test(arguments: Engine.allCases)
  func `a live query over several types is notified of every included type`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let query = Query("Circle").including(["Square"])
    var answers = try await store.observe(query).makeAsyncIterator()
    #expect(try await answers.next()?.isEmpty == true)
    try await store.create("Square", id: "s")
    #expect(try await answers.next()?.map(\.id) == ["s"])
    var hats = try await store.observe(Hat.all.including(["caps"])).makeAsyncIterator()
    #expect(try await hats.next()?.isEmpty == true)
    try await store.create("caps", id: "c", ["color": "red"])
    #expect(try await hats.next()?.map(\.id) == ["c"])
  }

  @Test(arguments: Engine.allCases)
  func `a live query over several types is notified of joined types, and of its end`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.create("Shop", id: "s", ["name": "x"])
    try await store.create("Hat", id: "h", ["shop": .reference("s")])
    let query = Query("Hat").join("Shop", on: .identifier, equals: Field("shop"))
      .where(.of("Shop", Field("name")) == "x")
    var answers = try await store.observe(query).makeAsyncIterator()
    #expect(try await answers.next()?.map(\.id) == ["h"])
    try await store.erase("s")
    #expect(try await answers.next()?.isEmpty == true)
    try await store.restore("s")
    #expect(try await answers.next()?.map(\.id) == ["h"])
  }

  @Test(arguments: [Engine.memory, .file])
  func `a live query over several types by SQL hears of all`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let hat = try await store.save(Hat("red"))
    try await store.create("orders", id: "o", ["hat": .reference(hat.id.entityID), "count": 1])
    let ordered = Hat.all.join(sql: "JOIN orders ON orders.hat = hats.id").distinct
    var answers = try await store.observe(ordered).makeAsyncIterator()
    #expect(try await answers.next()?.count == 1)
    try await store.erase("o")
    #expect(try await answers.next()?.isEmpty == true)
    let many = Hat.all.where(sql: "(SELECT count(*) FROM orders) > 0")
    var counted = try await store.observe(many).makeAsyncIterator()
    #expect(try await counted.next()?.isEmpty == true)
    try await store.restore("o")
    #expect(try await counted.next()?.count == 1)
    // The query of a loaded relation may contain SQL too.
    let shop = try await store.save(Shop(name: "s"))
    let along = Shop.all.with(\.hats) { $0.where(sql: "(SELECT count(*) FROM orders) > 0") }
    #expect(along.types == nil)
    #expect(Shop.all.with(\.hats).types == ["shops", "hats"])
    #expect(shop.name == "s")
  }

  @Test(arguments: [
    Engine.memory, .file,
  ]
  )
  func `by SQL reads again only after commits to types whose tables it names`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.save(Hat("red"))
    try await store.create("orders", id: "o")
    try await store.create("other type", id: "x", ["n": 1])
    let tables = try await store.read { try await $0.reading { try await $0.reader.tables() } }
    func types(_ sql: String) -> Set<EntityType>? {
      Hat.all.where(sql: sql).untyped.types(of: tables)
    }
    #expect(types("1") == ["hats"])
    #expect(types("(SELECT count(*) FROM Orders) > 0") == ["hats", "orders"])
    #expect(types("(SELECT count(*) FROM \"orders\") > 0") == ["hats", "orders"])
    let odd = try #require(tables?["other type"])
    #expect(odd == "other type")
    #expect(types("(SELECT count(*) FROM \"other type\") > 0")?.contains("other type") == true)
    #expect(types("(SELECT count(*) FROM varve_link) > 0") == nil)
    #expect(types("(SELECT count(*) FROM sqlite_master) > 0") == nil)
    #expect(Hat.all.where(sql: "1").untyped.types(of: nil) == nil)
    // A table that is created later is found when the result is read again.
    let later = Query("none").where(.sql("(SELECT count(*) FROM orders) > 0", []))
    var answers = try await store.observe(later).makeAsyncIterator()
    #expect(try await answers.next()?.isEmpty == true)
    try await store.create("none", id: "n")
    #expect(try await answers.next()?.map(\.id) == ["n"])
    try await store.erase("o")
    #expect(try await answers.next()?.isEmpty == true)
  }

  @Test(arguments: [Engine.memory, .file])
  func `a live query over several types prepares the words it searches for`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.save(Customer("Ann Smith"))
    let query = Customer.all.matching("ann", in: \.name)
    var answers = try await store.observe(query).makeAsyncIterator()
    #expect(try await answers.next()?.count == 1)
    try await store.save(Customer("Ann Jones"))
    #expect(try await answers.next()?.count == 2)
  }
}

/// A merge can move an entity in an order although nothing that it has differs.
@Suite("A live query whose order a merge changes is read again")
struct LiveOrderTests {
  @Test(arguments: Engine.allCases)
  func `by the time of the last write, if values are as before`(engine: Engine) async throws {
    let clock = TestClock()
    let (here, there) = (
      try await makeStore(engine, clock: clock), try await makeStore(engine, clock: clock)
    )
    for id in ["1", "2"] as [EntityID] {
      try await here.create("Hat", id: id, ["size": 1])
      clock.advance(by: 1)
    }
    try await there.merge(from: here)
    let query = Query("Hat").order(by: .modified, descending: true)
    var answers = try await there.observe(query).makeAsyncIterator()
    #expect(try await answers.next()?.map(\.id) == ["2", "1"])
    try await here.set("1", "size", 2)
    clock.advance(by: 1)
    try await here.set("1", "size", 1)
    let changes = try await there.changes()
    try await there.merge(from: here)
    #expect(changes.poll()?.changed == ["1"])
    #expect(try await answers.next()?.map(\.id) == ["1", "2"])
  }

  @Test(arguments: Engine.allCases)
  func `of creation, if an earlier creation has the same date`(engine: Engine) async throws {
    let clock = TestClock()
    let (here, there) = (
      try await makeStore(engine, clock: clock), try await makeStore(engine, clock: clock)
    )
    let date = Date(timeIntervalSince1970: 1_000_000)
    try await here.create("Hat", id: "1", at: date)
    clock.advance(by: 1)
    try await there.create("Hat", id: "2", at: date)
    try await there.create("Hat", id: "1", at: date)
    var answers = try await there.observe(Query("Hat")).makeAsyncIterator()
    #expect(try await answers.next()?.map(\.id) == ["2", "1"])
    let changes = try await there.changes()
    try await there.merge(from: here)
    #expect(changes.poll()?.changed == ["1"])
    #expect(try await answers.next()?.map(\.id) == ["1", "2"])
  }
}
