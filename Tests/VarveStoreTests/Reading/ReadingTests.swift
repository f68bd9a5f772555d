import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Reading")
struct ReadingTests {
  @Test(
    arguments: Engine.allCases
  )
  func `entities are in the requested order, with nil for those not live`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "gone")
    try await store.erase("gone")
    let entities = try await store.entities(["b", "gone", "a", "never", "b"])
    #expect(entities.map { $0?.id } == ["b", nil, "a", nil, "b"])
  }

  @Test(arguments: Engine.allCases)
  func `first, count and types`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.create("Hat")
    #expect(try await store.first(Query("node"))?.id == "a")
    #expect(try await store.first(Query("None")) == nil)
    #expect(try await store.count(Query("node").limit(1)) == 1)
    let types = try await store.types()
    #expect(types.map(\.type) == ["Hat", "node"])
    #expect(types.map(\.count) == [1, 2])
  }

  @Test(arguments: Engine.allCases)
  func `a snapshot does not see concurrent writes`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a")
    try await store.read { snapshot in
      try await store.createNodes("b")
      #expect(try await snapshot.count(Query("node")) == 1)
      #expect(try await store.count(Query("node")) == 2)
    }
  }

  @Test(arguments: Engine.allCases)
  func `the past can be read by date and, repeatably, by frontier`(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.create("t", id: "a", ["x": 1])
    let then = try await store.frontier()
    clock.advance(by: 10_000)
    try await store.set("a", "x", 2)
    try await store.set("a", "x", "backdated", at: .test(5))
    #expect(try await store.asOf(.test(4)).require("a")["x"] == 1)
    #expect(try await store.asOf(.test(7)).require("a")["x"] == "backdated")
    #expect(try await store.asOf(.test(10)).require("a")["x"] == 2)
    #expect(try await store.asOf(then).require("a")["x"] == 1)
    #expect(try await store.asOf(Frontier.empty).entity("a") == nil)
    #expect(throws: VarveError.self) { try store.asOf(Date(timeIntervalSince1970: 1e15)) }
  }

  @Test(arguments: Engine.allCases)
  func `relations of the past`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.relate("a", .owns, "b")
    let then = store.asOf(try await store.frontier())
    try await store.erase("a")
    #expect(try await then.relatedIDs("a", .owns) == ["b"])
    #expect(try await then.status(of: "b") == .live("node"))
  }

  @Test(arguments: Engine.allCases)
  func `history and log are bounded as asked`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a")
    for number in 0..<5 {
      try await store.as(message: "\(number)").set("a", "x", .int(Int64(number)))
    }
    #expect(try await store.history(of: "a", "x", limit: 2).map(\.value) == [4, 3])
    #expect(try await store.history(of: "never").isEmpty)
    #expect(try await store.log(limit: 2, offset: 1).map(\.message) == ["3", "2"])
    let negative = await failure { _ = try await store.log(limit: -1) }
    #expect(negative?.code == .invalidArgument)
  }

  @Test(arguments: Engine.allCases)
  func `any text is a name`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let names = [
      "", " ", "'; DROP TABLE hat; --", "\"", "`", "[x]", "id", "rowid", "select", "\0", "é",
      "e\u{301}", "👩‍👩‍👧", "Id", "ID", "%_", "\n", String(repeating: "n", count: 3_000),
    ]
    for name in names {
      var properties: [PropertyKey: Value] = [:]
      for other in names { properties[PropertyKey(other)] = .string(other) }
      let type = EntityType(name)
      let id = try await store.create(type, properties)
      let entity = try await store.require(id)
      #expect(entity.type == type)
      #expect(entity.properties.mapValues(\.value) == properties)
      #expect(
        try await store.count(Query(type).where(Field(PropertyKey(name)) == .string(name))) == 1
      )
      try await store.relate(id, .free, id, named: PropertyKey(name))
      #expect(try await store.relatedIDs(id, .free, named: PropertyKey(name)) == [id])
    }
    for text in names where !text.isEmpty && text.utf8.count <= 1_024 {
      let id = try EntityID(text)
      try await store.create("named", id: id)
      #expect(try await store.require(id).id.text.utf8.elementsEqual(text.utf8))
    }
  }

  @Test(arguments: Engine.allCases)
  func `a limited history includes a creation that is valid later`(engine: Engine) async throws {
    let store = try await makeStore(engine, clock: TestClock())
    try await store.create("t", id: "a", ["x": "born"], at: .test(900))
    for n in 1...3 { try await store.set("a", "x", .int(Int64(n)), at: .test(Double(n))) }
    #expect(try await store.history(of: "a", "x", limit: 2).map(\.value) == ["born", 3])
    #expect(try await store.history(of: "a", "x", limit: 1).map(\.value) == ["born"])
  }
}
