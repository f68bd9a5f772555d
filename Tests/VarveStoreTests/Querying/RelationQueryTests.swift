import Foundation
import Testing
import VarveCore
import VarveStore

/// A match has two references to one model.
private struct Team: Persistable {
  static let schema = Schema<Team>("teams") {
    SchemaField("name", \.name)
    SchemaField("parent", \.parent)
    SchemaField("squad", \.squad, .relation(as: .list))
  }
  var id = Identifier<Team>()
  var name: String
  var parent: Ref<Team>?
  var squad = Many<Team>()
  init(_ id: Identifier<Team>, _ name: String, parent: Ref<Team>? = nil) {
    (self.id, self.name, self.parent) = (id, name, parent)
  }
  init(row: EntityRow) throws {
    id = try row.id()
    name = try row.read(0)
    parent = try row.read(1)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(name)
    try values.append(parent)
  }
}

private struct Match: Persistable {
  static let schema = Schema<Match>("matches") {
    SchemaField("home", \.home)
    SchemaField("away", \.away)
  }
  var id = Identifier<Match>()
  var home: Ref<Team>
  var away: Ref<Team>
  init(_ home: Team, _ away: Team) { (self.home, self.away) = (home.ref, away.ref) }
  init(row: EntityRow) throws {
    id = try row.id()
    home = try row.read(0)
    away = try row.read(1)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(home)
    try values.append(away)
  }
}

@Suite("Queries along relations")
struct RelationQueryTests {
  private func teams(_ engine: Engine) async throws -> (Store, [Team]) {
    let store = try await makeStore(engine)
    let first = Team("t1", "b")
    let teams = [first, Team("t2", "c", parent: first.ref), Team("t3", "a", parent: first.ref)]
    try await store.save(teams)
    try await store.save([Match(teams[0], teams[1]), Match(teams[1], teams[2])])
    return (store, teams)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `of several references the one meant must be named`(engine: Engine) async throws {
    let (store, teams) = try await teams(engine)
    let error = await failure { _ = try await store.fetch(teams[1].toMany(Match.self)) }
    #expect(error?.code == .invalidQuery)
    #expect(try await store.count(teams[1].toMany(Match.self, foreignKey: "home")) == 1)
    #expect(try await store.count(teams[0].toMany(Match.self, foreignKey: "away")) == 0)
    let unknown = await failure {
      _ = try await store.fetch(teams[1].toMany(Match.self, foreignKey: "nope"))
    }
    #expect(unknown?.code == .unknownProperty)
    let none = await failure { _ = try await store.fetch(teams[1].toMany(Customer.self)) }
    #expect(none?.code == .invalidQuery)
    #expect(throws: VarveError.self) {
      try teams[1].toMany(Team.self, through: teams[1].toMany(Match.self, foreignKey: "home"))
    }
    let through = try teams[1].toMany(
      Team.self,
      through: teams[1].toMany(Match.self, foreignKey: "home"),
      foreignKey: "away"
    )
    #expect(try await store.fetch(through).map(\.id) == ["t3"])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `a query through another follows the reference from whichever end has it`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let shop = try await store.save(Shop(name: "s"))
    let hats = try await store.save([Hat("red", shop: shop.ref), Hat("blue")])
    let buyer = try await store.save(Customer("ann"))
    try await store.save([
      Order(hat: hats[0].ref, customer: buyer.ref), Order(hat: hats[1].ref, customer: buyer.ref),
    ])
    // Orders refer to the hats in between, which do not refer to orders.
    let sold = try shop.toMany(Order.self, through: shop.query(\.hats))
    #expect(try await store.fetch(sold).map(\.hat) == [hats[0].ref])
    let named = try shop.toMany(Order.self, through: shop.query(\.hats), foreignKey: "hat")
    #expect(try await store.count(named) == 1)
    let error = await failure {
      _ = try await store.fetch(
        Customer.all.through(Hat.where { $0.color == "red" })
      )
    }
    #expect(error?.code == .invalidQuery)
  }

  @Test(arguments: Engine.allCases)
  func `a model joins itself`(engine: Engine) async throws {
    let (store, _) = try await teams(engine)
    let ofB = Team.all.join(Team.self, on: \.id, equals: \.parent)
      .where(joined: Team.self) { $0.name == "b" }
    #expect(try await store.fetch(ofB).map(\.id) == ["t2", "t3"])
    #expect(try await store.fetch(ofB.where { $0.name == "a" }).map(\.id) == ["t3"])
    let children = Team.all.join(Team.self, on: \.parent, equals: \.id)
    #expect(try await store.fetch(children).map(\.id) == ["t1", "t1"])
    #expect(try await store.fetch(children.distinct).map(\.id) == ["t1"])
    let byChild = Query("teams").join("teams", on: Field("parent"), equals: .identifier)
      .order(by: .of("teams", Field("name")))
    #expect(try await store.fetch(byChild).map(\.id) == ["t1", "t1"])
    if engine != .reference {
      let text = try await store.sql(ofB).sql
      #expect(text.contains("INNER JOIN teams AS varve_joined ON varve_joined.id = teams.parent"))
    }
    let twice = Match.all.join(Team.self, on: \.id, equals: \.home)
      .join(Team.self, on: \.id, equals: \.away)
    let error = await failure { _ = try await store.fetch(twice) }
    #expect(error?.code == .invalidQuery)
  }

  @Test(arguments: Engine.allCases)
  func `a loaded relation has the requested order`(engine: Engine) async throws {
    var (store, teams) = try await teams(engine)
    teams[0].squad = [teams[1], teams[2], teams[0]]
    try await store.save(teams[0])
    let query = Team.where { $0.name == "b" }
    let plain = try await store.first(query.with(\.squad))
    #expect(plain?.squad.loaded?.map(\.name) == ["c", "a", "b"])
    let ordered = try await store.first(query.with(\.squad) { $0.order(by: \.name) })
    #expect(ordered?.squad.loaded?.map(\.name) == ["a", "b", "c"])
  }

  @Test(arguments: Engine.allCases)
  func `a join compares values of any kind as queries do`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let id: EntityID = "0193d3a4-0000-7000-8000-000000000001"
    let values: [Value] = [
      1, 2.0, "x", true, .double(.nan), .data(Data([1])), .reference("r"), .reference(id),
    ]
    for value in values { try await store.create("left", ["v": value]) }
    for value: Value in [1.0, 2, "x", true, .double(.nan), "r", .string(id.text), .reference(id)] {
      try await store.create("right", ["v": value])
    }
    try await store.create("left", id: "x", ["w": 1])
    let query = Query("left").join("right", on: Field("v"), equals: Field("v"))
    let found = try await store.fetch(query).map { $0["v"] }
    let reference = Value.reference(id)
    #expect(found == [1, 2.0, "x", true, .reference("r"), reference, reference])
    let byIdentifier = Query("left").join("right", on: Field("v"), equals: .identifier)
    #expect(try await store.fetch(byIdentifier).map(\.id) == ["x"])
  }

  @Test(arguments: [Engine.memory, .file]
  )
  func `SQL names the properties of a model before any entity has them`(engine: Engine) async throws
  {
    let store = try await makeStore(engine)
    let wide = Hat.all.where(sql: "brim_size > ?", [10])
    #expect(try await store.fetch(wide).isEmpty)
    try await store.save(Hat("red"))
    let then = try await store.frontier()
    #expect(try await store.fetch(wide).isEmpty)
    #expect(
      try await store.count(Hat.all.where(sql: "brim_size IS NULL AND hats.shop IS NULL")) == 1
    )
    let joined = Order.all.join(Hat.self, on: \.id, equals: \.hat).where(sql: "hats.brim_size > 1")
    #expect(try await store.fetch(joined).isEmpty)
    try await store.save(Hat("blue", 12))
    #expect(try await store.fetch(wide).map(\.color) == ["blue"])
    #expect(try await store.asOf(then).fetch(wide).isEmpty)
    let error = await failure { _ = try await store.fetch(Hat.all.where(sql: "nope > 1")) }
    #expect(error?.code == .invalidQuery)
  }
}
