import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Creating")
struct CreationTests {
  @Test(
    arguments: Engine.allCases
  )
  func `a created entity has its type, values, kinds as semantic types and datestamp`(
    engine: Engine
  )
    async throws
  {
    let store = try await makeStore(engine)
    let id = try await store.create("Hat", ["color": "red", "size": 12])
    let hat = try await store.require(id)
    #expect(hat.type == "Hat")
    #expect(hat["color"] == "red")
    #expect(hat.property("size") == .init(12, semanticType: "integer"))
    #expect(hat.keys == ["color", "size"])
    #expect(hat.datestamp.date == .test(0))
  }

  @Test(arguments: Engine.allCases)
  func `semantic types are kept`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write {
      try await $0.create(
        "Person",
        id: "p",
        properties: ["home": .init("Rome", semanticType: "address")]
      )
    }
    #expect(try await store.require("p").property("home")?.semanticType == "address")
  }

  @Test(arguments: Engine.allCases)
  func `a live identifier cannot be created again, whatever the type`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "x")
    let error = await failure { try await store.create("Shop", id: "x") }
    #expect(error?.code == .duplicateIdentifier)
    #expect(error?.place == "entity x")
    #expect(error?.remedy != nil)
    #expect(try await store.commitCount() == 1)
    #expect(try await store.require("x").type == "Hat")
  }

  @Test(arguments: Engine.allCases)
  func `a duplicate that is caught leaves the rest of the transaction`(engine: Engine) async throws
  {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "x")
    try await store.write { tx in
      let error = await failure { try await tx.create("Hat", id: "x", ["color": "red"]) }
      #expect(error?.code == .duplicateIdentifier)
      try await tx.create("Hat", id: "y")
    }
    #expect(try await store.live("x", "y") == ["x", "y"])
    #expect(try await store.require("x")["color"] == nil)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `an erased identifier is re-created: empty, with its history continuing`(engine: Engine)
    async throws
  {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.create("t", id: "a", ["x": 1, "y": 2])
    clock.advance(by: 1_000)
    try await store.erase("a")
    clock.advance(by: 1_000)
    try await store.create("u", id: "a", ["x": 9])
    let a = try await store.require("a")
    #expect(a.type == "u")
    #expect(a["x"] == 9)
    #expect(a["y"] == nil)
    #expect(a.datestamp.date == .test(2))
    #expect(try await store.history(of: "a", "x").map(\.value) == [9, 1])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `a re-created entity has no former ownership, from either end`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("owner", "a", "child", "other")
    try await store.own(("owner", "a"), ("a", "child"), ("other", "child"))
    try await store.erase("a")
    try await store.create("node", id: "a")
    #expect(try await store.relatedIDs("a", .owns).isEmpty)
    #expect(try await store.relatedIDs("a", .ownedBy).isEmpty)
    #expect(try await store.relatedIDs("owner", .owns).isEmpty)
    #expect(try await store.relatedIDs("child", .ownedBy) == ["other"])
    #expect(try await store.erase("owner") == ["owner"])
    #expect(try await store.erase("a") == ["a"])
    #expect(try await store.live("child") == ["child"])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `references and free relations to a re-created entity resolve again`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.set("b", "link", .reference("a"))
    try await store.relate("b", .free, "a")
    try await store.erase("a")
    #expect(try await store.relatedIDs("b", .free).isEmpty)
    try await store.create("node", id: "a")
    #expect(try await store.relatedIDs("b", .free) == ["a"])
    #expect(try await store.require("b")["link"] == .reference("a"))
  }

  @Test(
    arguments: Engine.allCases
  )
  func `entities that died with an owner stay dead when the owner is re-created`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "child")
    try await store.own(("a", "child"))
    try await store.erase("a")
    try await store.create("node", id: "a")
    #expect(try await store.status(of: "child") == .dead)
    try await store.create("node", id: "child")
    #expect(try await store.live("child") == ["child"])
  }

  @Test(arguments: Engine.allCases)
  func `a re-creation follows an erasure dated later`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a")
    try await store.erase("a", at: .test(50))
    try await store.create("t", id: "a", ["x": 1], at: .test(10))
    let a = try await store.require("a")
    #expect(a["x"] == 1)
    #expect(a.datestamp.date == .test(10))
    try await store.erase("a", at: .test(100))
    try await store.create("t", id: "a")
    #expect(try await store.require("a").datestamp.date == .test(0))
  }

  @Test(arguments: Engine.allCases)
  func `erasing and creating in one transaction leaves the last`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      try await tx.create("t", id: "a", ["x": 1])
      try await tx.erase("a")
      try await tx.create("t", id: "a", ["y": 2])
      #expect(try await tx.require("a").keys == ["y"])
    }
    #expect(try await store.require("a").keys == ["y"])
  }

  @Test(arguments: Engine.allCases)
  func `a creation with a time holds from then`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1], at: .test(-100))
    #expect(try await store.require("a").datestamp.date == .test(-100))
    #expect(try await store.asOf(.test(-50)).entity("a")?["x"] == 1)
    #expect(try await store.asOf(.test(-150)).entity("a") == nil)
  }

  @Test(arguments: Engine.allCases)
  func `an entity created below an erased owner lives`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("owner")
    try await store.relate("owner", .owns, "late")
    try await store.erase("owner")
    try await store.create("node", id: "late", ["x": 1])
    #expect(try await store.require("late")["x"] == 1)
    #expect(try await store.relatedIDs("late", .ownedBy).isEmpty)
    try await store.restore("owner")
    #expect(try await store.relatedIDs("owner", .owns).isEmpty)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `an entity referred to before it is created is created under that identifier`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("a")
    try await store.relate("a", .free, "later")
    #expect(try await store.relatedIDs("a", .free) == ["later"])
    #expect(try await store.related("a", .free).isEmpty)
    try await store.create("node", id: "later")
    #expect(try await store.related("a", .free).map(\.id) == ["later"])
  }

  @Test(arguments: Engine.allCases)
  func `large values and many keys are kept`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let large = String(repeating: "long ", count: 300_000)
    let half = String(repeating: "x", count: 400_000)
    var values: [PropertyKey: Value] = ["large": .string(large)]
    for index in 0..<4 { values[PropertyKey("half\(index)")] = .string(half) }
    for index in 0..<700 { values[PropertyKey("k\(index)")] = .int(Int64(index)) }
    let id = try await store.create("Big", values)
    let read = try await store.require(id)
    #expect(read.properties.mapValues(\.value) == values)
  }

  @Test(arguments: Engine.allCases)
  func `invalid values are refused before anything is written`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    var deep = Value.array([])
    for _ in 0..<600 { deep = .array([deep]) }
    let name = String(repeating: "n", count: 70_000)
    try await store.write { tx async throws in
      let id = EntityID.new()
      let errors = [
        await failure { try await tx.create("t", id: id, ["a": 1, "b": deep]) },
        await failure { try await tx.create(EntityType(name), id: id) },
        await failure { try await tx.create("t", id: id, [PropertyKey(name): 1]) },
        await failure {
          try await tx.create("t", id: id, properties: ["a": .init(1, semanticType: "")])
        },
        await failure { try await tx.create("t", id: id, at: .distantFuture * 100) },
      ]
      #expect(
        errors.map { $0?.code } == [
          .unsupportedValue, .invalidArgument, .invalidArgument, .invalidArgument,
          .timeOutOfRange,
        ]
      )
      #expect(try await tx.status(of: id) == .unknown)
    }
    #expect(try await store.commitCount() == 0)
  }
}

extension Date {
  fileprivate static func * (date: Date, factor: Double) -> Date {
    Date(timeIntervalSince1970: date.timeIntervalSince1970 * factor)
  }
}
