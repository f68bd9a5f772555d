import Testing
import VarveCore
import VarveReferences
import VarveStore
import VarveTestSupport

@Suite("A call for many entities")
struct BulkTests {
  @Test(arguments: Engine.allCases)
  func `a call for many entities returns results in the given order, with semantic types`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let home = StoredEntity.Property("12 High St", semanticType: "address")
    try await store.write { tx in
      try await tx.create("person", id: "a", properties: ["home": home, "age": .init(30)])
    }
    try await store.create("person", id: "b", ["age": 31])
    let some = try await store.properties(["home", "none"], of: ["b", "x", "a"])
    #expect(some == [[:], nil, ["home": home]])
    let all = try await store.properties(of: ["a"])
    #expect(all == [["home": home, "age": .init(30)]])
    let own = try await store.properties(["identifier", "type", "datestamp"], of: ["b"])
    #expect(own[0]?["identifier"] == .init("b", semanticType: "identifier"))
    #expect(own[0]?["type"] == .init("person", semanticType: "entity"))
    #expect(own[0]?["datestamp"]?.semanticType == "date")
  }

  @Test func `shows the updates of a reference instead of the stored values`() async throws {
    let store = try await makeStore(.memory)
    try await store.create("person", id: "a", ["age": 30, "name": "Ann"])
    let pending = EntityReference("a").updating(["age": 31, "name": nil, "nick": "A"])
    let answer = try await store.properties(of: [pending])
    #expect(answer == [["age": .init(31), "nick": .init("A")]])
    #expect(try await store.properties(["name", "age"], of: [pending]) == [["age": .init(31)]])
    #expect(pending.updating(["x": 1]).updates.count == 1)
  }

  @Test(arguments: Engine.allCases)
  func `a call for many entities adds equal values again, updates only differences`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1])
    try await store.create("t", id: "b", ["x": 1])
    try await store.set([EntityReference("a").updating(["x": 1])])
    let differed = try await store.update([
      EntityReference("a").updating(["x": 1]), EntityReference("b").updating(["x": 2, "y": nil]),
      EntityReference("c").creating("t").updating(["x": 3]),
    ])
    #expect(differed == [false, true, true])
    #expect(try await store.history(of: "a", "x").map(\.value) == [1, 1])
    #expect(try await store.history(of: "b", "x").map(\.value) == [2, 1])
    #expect(try await store.require("c")["x"] == 3)
  }

  @Test func `a call for many entities keeps a semantic type that an update does not name`()
    async throws
  {
    let store = try await makeStore(.memory)
    let home = StoredEntity.Property("12 High St", semanticType: "address")
    try await store.write { tx in
      try await tx.create("t", id: "a", properties: ["home": home])
    }
    #expect(
      try await store.update([EntityReference("a").updating(["home": "12 High St"])]) == [false]
    )
    let typed = EntityReference("a").updating(["home": .value("12 High St", semanticType: "x")])
    #expect(try await store.update([typed]) == [true])
  }

  @Test func `a call for many entities writes nothing if one reference names nothing`() async throws
  {
    let store = try await makeStore(.memory)
    try await store.create("t", id: "a")
    let error = await failure {
      try await store.set([EntityReference("a").updating(["x": 1]), "nobody"])
    }
    #expect(error?.code == .notFound)
    #expect(try await store.require("a")["x"] == nil)
  }

  @Test(arguments: Engine.allCases)
  func `a call for many entities removes and erases existing data, and creates nothing`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1, "y": 2, "author-b": 3])
    try await store.create("t", id: "b", ["x": 1])
    let ghost = EntityReference("ghost").creating("t")
    let removed = try await store.remove(["x", .keyed("author", by: "b")], of: ["a", ghost])
    #expect(removed.map { $0?.id } == ["a", nil])
    #expect(try await store.require("a").keys == ["y"])
    #expect(try await store.history(of: "a", "x").map(\.value) == [nil, 1])
    #expect(try await store.erase(references: [EntityReference("x", equals: 1), ghost]) == ["b"])
    #expect(try await store.handles().map(\.id) == ["a"])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `finds all of a type by values, in their order, creating or not`(engine: Engine) async throws
  {
    let store = try await makeStore(engine)
    try await store.create("person", id: "a", ["name": "1"])
    try await store.create("person", id: "b", ["name": "2"])
    try await store.create("person", id: "c", ["name": "1"])
    try await store.create("book", id: "d", ["name": "3"])
    let found = try await store.find("person", "name", in: ["2", "3", "1"])
    #expect(found.map(\.id) == ["b", "a", "c"])
    let made = try await store.findOrCreate("person", "name", in: ["3", "2", "3"])
    #expect(made.count == 3)
    #expect(made[0].id == made[2].id)
    #expect(made[1].id == "b")
    #expect(try await store.count(["person", "book"]) == [4, 1])
  }

  @Test(arguments: Engine.allCases)
  func `lists all in creation order, within a commit and by datestamp`(engine: Engine) async throws
  {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.create("x", id: "a")
    try await store.create("y", id: "b")
    try await store.create("x", id: "c")
    try await store.create("y", id: "before", at: .test(-50))
    #expect(try await store.handles().map(\.id) == ["before", "a", "b", "c"])
    #expect(try await store.handles(of: "x").map(\.id) == ["a", "c"])
    #expect(try await store.handles(of: "none").isEmpty)
  }

  @Test(arguments: [true, false])
  func `a call for many entities resolves many values, more than one query asks for`(
    isIndexed: Bool
  ) async throws {
    let store = try await makeStore(.memory)
    if isIndexed { try await store.addIndex(on: "n", of: "t") }
    let count = 10_000
    let rows = (0..<count).map { (try! EntityID("id \($0)"), [.int(Int64($0))] as [Value?]) }
    try await store.create("t", keys: ["n"], rows: rows)
    let references = (0..<count + 2).reversed().map {
      EntityReference("n", equals: .int(Int64($0)))
    }
    let found = try await store.find(references)
    #expect(found.map { $0?.id } == [nil, nil] + rows.reversed().map { $0.0 })
  }
}
