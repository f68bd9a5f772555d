import Foundation
import Testing
import VarveCore
import VarveReferences
import VarveStore
import VarveTestSupport

@Suite("A reference")
struct ReferenceTests {
  @Test(
    arguments: Engine.allCases
  )
  func `a reference finds by identifier, by value, by the first of several that finds`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("person", id: "a", ["name": "Ann", "age": 30])
    try await store.create("person", id: "b", ["name": "Ben"])
    let found = try await store.find([
      "a", EntityReference("name", equals: "Ben"), "nobody", .null,
      .anyOf(["nobody", EntityReference("name", equals: "Ann"), "b"]),
      EntityReference("age", equals: .double(30)), EntityReference("age", equals: 30),
    ])
    #expect(found.map { $0?.id } == ["a", "b", nil, nil, "a", nil, "a"])
    #expect(found[0]?.type == "person")
  }

  @Test(arguments: Engine.allCases)
  func `a reference matches the present value only, whatever was there before`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.create("person", id: "a", ["name": "Ann"])
    let past = try await store.frontier()
    try await store.set("a", "name", "Anna")
    let ann = EntityReference("name", equals: "Ann")
    #expect(try await store.find([ann]).map { $0?.id } == [nil])
    #expect(try await store.asOf(past).find([ann]).map { $0?.id } == ["a"])
  }

  @Test(arguments: Engine.allCases)
  func `a reference of several entities names the one created first`(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.create("z", id: "old", ["name": "X"], at: .test(-10))
    try await store.create("a", id: "new", ["name": "X"])
    let references: [EntityReference] = [
      EntityReference("name", equals: "X"), EntityReference("name", equals: "none"),
    ]
    #expect(try await store.find(references).map { $0?.id } == ["old", nil])
    #expect(try await store.find([references[0]]).map { $0?.id } == ["old"])
  }

  @Test func `a reference is looked up again if it found nothing, or its entity was erased`()
    async throws
  {
    let store = try await makeStore(.memory)
    let reference = EntityReference("name", equals: "Ann")
    #expect(try await store.findOrCreate([reference]).map { $0?.id } == [nil])
    let id = try await store.create("person", ["name": "Ann"])
    let found = try #require(try await store.findOrCreate([reference])[0])
    #expect(found.id == id)
    try await store.erase(id)
    #expect(try await store.findOrCreate([found.reference]).map { $0?.id } == [nil])
  }

  @Test func `a reference equals another with the same identifier, whatever else differs`() {
    let plain: EntityReference = "a"
    let creating = plain.creating("person", ["name": "Ann"]).updating(["age": 1])
    #expect(plain == creating)
    #expect(Set([plain, creating, "b"]).count == 2)
    #expect(EntityReference("name", equals: 1) != EntityReference("name", equals: .double(1)))
    #expect(FoundEntity(id: "a", type: "x") == FoundEntity(id: "a", type: "y"))
  }

  @Test(arguments: [true, false])
  func `a reference finds values of every kind, NaN too, with an index and without`(isIndexed: Bool)
    async throws
  {
    let store = try await makeStore(.memory)
    let values: [Value] = [
      1, .double(1), .double(.nan), .double(-0.0), .double(0), "text", "", true, .data(.init([1])),
      .reference("x"), .array([1, 2]), .dictionary(["k": 1]), .string("1"),
    ]
    if isIndexed { try await store.addIndex(on: "v", of: "t") }
    for (index, value) in values.enumerated() {
      try await store.create("t", id: try EntityID("\(index)"), ["v": value])
    }
    let found = try await store.find(values.map { EntityReference("v", equals: $0) })
    #expect(found.map { $0?.id.text } == values.indices.map { "\($0)" })
    for (index, value) in values.enumerated() {
      let one = try await store.find([EntityReference("v", equals: value)])
      #expect(one.first??.id.text == "\(index)", "\(value)")
    }
  }

  @Test func `a reference that expects a type refuses an entity of another`() async throws {
    let store = try await makeStore(.memory)
    try await store.create("book", id: "b")
    let reference = EntityReference("b").expecting("person")
    #expect(await failure { _ = try await store.find([reference]) }?.code == .typeMismatch)
  }
}
