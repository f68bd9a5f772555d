import Testing
import VarveCore
import VarveReferences
import VarveStore
import VarveTestSupport

@Suite("Limits of references")
struct ReferenceLimitTests {
  @Test(arguments: Engine.allCases)
  func `nesting has a bound`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("T", id: "a")
    var reference: EntityReference = "a"
    for _ in 1..<EntityReference.maximumDepth { reference = .anyOf([reference]) }
    #expect(try await store.find([reference])[0]?.id == "a")
    for _ in 0..<5_000 { reference = .anyOf([reference]) }
    let deep = reference
    #expect(await failure { _ = try await store.find([deep]) }?.code == .invalidArgument)
    #expect(await failure { _ = try await store.findOrCreate([deep]) }?.code == .invalidArgument)
    #expect(await failure { try await store.erase(references: [deep]) }?.code == .invalidArgument)
    var creating = EntityReference.new("T")
    for _ in 0..<5_000 { creating = .new("T", ["next": .to(creating)]) }
    let chain = creating
    #expect(await failure { _ = try await store.findOrCreate([chain]) }?.code == .invalidArgument)
    #expect(try await store.commitCount() == 1)
  }

  @Test(arguments: Engine.allCases)
  func `a condition may nest as deep as a loop makes it`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.set("b", "x", 1)
    try await store.own(("a", "b"))
    var (any, none) = (Field("x") == 1, Field("x") == 2)
    for _ in 0..<5_000 {
      any = any || Field("x") == 0
      none = !(!(none && Field("x") == 1))
    }
    #expect(try await store.related("a", .owns, where: any).map(\.id) == ["b"])
    #expect(try await store.related("a", .owns, where: none).isEmpty)
    #expect(try await store.fetch(Query("node").where(any)).map(\.id) == ["b"])
    do {
      let found = try await store.fetch(Query("node").where(none))
      #expect(found.isEmpty)
    } catch let error as VarveError { #expect(error.code == .invalidQuery) }
  }

  @Test(arguments: Engine.allCases)
  func `a class of another type than the one created`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let book = EntityReference("nb").creating("book")
    for reference in [book, .anyOf(["none", book])] {
      for _ in 0..<2 {
        let error = await failure {
          _ = try await store.findOrCreate([reference], as: Someone.self)
        }
        #expect(error?.code == .typeMismatch)
      }
    }
    #expect(try await store.commitCount() == 0)
  }

  @Test(arguments: Engine.allCases)
  func `limits of references keys that an entity cannot have among initial properties`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let refused: [NewProperties] = [
      ["identifier": 5, "a": 1], ["datestamp": "2020-01-01", "a": 1], ["type": "Z", "a": 1],
      ["identifier": .to(.new("T"))],
    ]
    for properties in refused {
      let error = await failure { _ = try await store.findOrCreate([.new("T", properties)]) }
      #expect(error?.code == .invalidArgument)
    }
    let searched = EntityReference("identifier", equals: 5).creating("T")
    #expect(
      await failure { _ = try await store.findOrCreate([searched]) }?.code == .invalidArgument
    )
    #expect(try await store.commitCount() == 0)
    _ = try await store.findOrCreate([
      .new("T", ["identifier": "x", "type": "T", "datestamp": nil, "a": 1])
    ])
    #expect(try await store.require("x").keys == ["a"])
  }

  @Test(arguments: Engine.allCases)
  func `the identifier searched for is the entity's own`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let byText = EntityReference("identifier", equals: "x")
    #expect(byText == "x" && EntityReference("identifier", equals: .reference("x")) == "x")
    #expect(try await store.find([byText])[0] == nil)
    #expect(try await store.findOrCreate([byText.creating("T")])[0]?.id == "x")
    #expect(try await store.require("x").keys == [])
    #expect(try await store.find([byText])[0]?.id == "x")
    #expect(try await store.find([EntityReference("identifier", equals: "")])[0] == nil)
  }

  @Test func `values that are all there need no writer`() async throws {
    let backend = ReferenceBackend(wallMilliseconds: TestClock().reading())
    try await Store(backend: backend).create("T", id: "a", ["n": 1])
    var configuration = Store.Configuration()
    configuration.isReadOnly = true
    let store = Store(backend: backend, configuration: configuration)
    #expect(try await store.findOrCreate("T", "n", in: [1, 1]).map(\.id) == ["a", "a"])
    #expect(
      await failure { _ = try await store.findOrCreate("T", "n", in: [1, 2]) }?.code == .readOnly
    )
  }

  @Test func `referenced entities are created in the same order each time`() async throws {
    for _ in 0..<8 {
      let store = try await makeStore(.memory)
      var properties: NewProperties = [:]
      for n in 0..<6 {
        let reference = EntityReference("n", equals: .string("\(n)")).creating("B")
        properties[.keyed("k", by: reference)] = .value(.int(Int64(n)))
      }
      _ = try await store.findOrCreate([EntityReference("a").creating("A", properties)])
      let values = try await store.fetch(Query("B")).map { $0["n"]?.stringValue }
      #expect(values == ["0", "1", "2", "3", "4", "5"])
    }
  }

  @Test(arguments: Engine.allCases)
  func `prototypes are found if their type is queried`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let id = try await store.define(Prototype("fedora", for: "Hat", ["brim": .init(9)]))
    let untyped = EntityReference("name", equals: "fedora")
    #expect(try await store.find([untyped])[0] == nil)
    let typed = untyped.expecting(Prototype.entityType)
    #expect(try await store.find([typed])[0]?.id == id)
    #expect(try await store.types().map(\.type) == [Prototype.entityType])
    let occupied = Prototype("taken", for: "Hat", ["brim": .init(9)])
    try await store.create("Other", id: "varve.prototype/3/Hat/taken", ["name": "mine"])
    #expect(await failure { try await store.define(occupied) }?.code == .typeMismatch)
    #expect(try await store.require("varve.prototype/3/Hat/taken").keys == ["name"])
  }
}

private struct Someone: CustomReference {
  static let entityType: EntityType = "person"
  let found: FoundEntity
  init(_ found: FoundEntity) { self.found = found }
}
