import Foundation
import Testing
import VarveCore
import VarveReferences
import VarveStore

@Suite("Creating missing entities")
struct CreateIfMissingTests {
  @Test(arguments: Engine.allCases)
  func `gives them the searched values and the initial properties`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let both = EntityReference.anyOf(["p", EntityReference("name", equals: "Ann")])
      .creating("person", ["age": 30, "name": "Bob", "type": "person"])
    let found = try #require(try await store.findOrCreate([both])[0])
    #expect(found.id == "p")
    let entity = try await store.require("p")
    #expect(entity.type == "person")
    #expect(entity["name"] == "Ann")
    #expect(entity["age"] == 30)
    #expect(entity.keys == ["age", "name"])
    #expect(try await store.findOrCreate([both])[0]?.id == "p")
    #expect(try await store.commitCount() == 1)
  }

  @Test func `takes identifier and datestamp from the initial properties`() async throws {
    let store = try await makeStore(.memory)
    let date = Date.test(-100)
    let reference = EntityReference("name", equals: "Ann").creating(
      "person",
      ["identifier": "fixed", "datestamp": .value(.date(date))]
    )
    #expect(try await store.findOrCreate([reference])[0]?.id == "fixed")
    #expect(try await store.require("fixed").datestamp.date == date)
    let other = EntityReference("name", equals: "Ben").creating("person", ["identifier": "fixed"])
    #expect(
      await failure { _ = try await store.findOrCreate([other]) }?.code == .duplicateIdentifier
    )
    #expect(try await store.count(["person"]) == [1])
  }

  @Test
  func `of the same reference twice in a call makes one; without anything to match, always one`()
    async throws
  {
    let store = try await makeStore(.memory)
    let ann = EntityReference("name", equals: "Ann").creating("person", ["mail": "ann@x"])
    let byMail = EntityReference("mail", equals: "ann@x").creating("person")
    let anywhere = EntityReference("mail", equals: "ann@x")
    let ids = try await store.findOrCreate([ann, ann, byMail, anywhere]).map { $0?.id }
    #expect(Set(ids).count == 1)
    #expect(ids[0] != nil)
    _ = try await store.findOrCreate([.new("person"), .new("person")])
    #expect(try await store.count(["person"]) == [3])
  }

  @Test func `looks for a value among entities of the type to be created`() async throws {
    let store = try await makeStore(.memory)
    try await store.create("book", id: "b", ["name": "X"])
    let reference = EntityReference("name", equals: "X").creating("person")
    let found = try #require(try await store.findOrCreate([reference])[0])
    #expect(found.type == "person")
    #expect(try await store.count(["book", "person", "none"]) == [1, 1, 0])
  }

  @Test func `creates entities that values and names refer to, in the same step`() async throws {
    let store = try await makeStore(.memory)
    let book = EntityReference("test-book").creating("book", ["title": "T"])
    let person = EntityReference("name", equals: "Ann").creating(
      "person",
      [.keyed("author", by: book): .to(book), "self": .to("later")]
    )
    let found = try #require(try await store.findOrCreate([person])[0])
    let entity = try await store.require(found.id)
    #expect(entity["author-test-book"] == .reference("test-book"))
    #expect(entity["self"] == .reference("later"))
    #expect(try await store.require("test-book")["title"] == "T")
    #expect(try await store.commitCount() == 1)
  }

  @Test func `creating missing entities may refer to each other`() async throws {
    let store = try await makeStore(.memory)
    let b = EntityReference("b").creating("t", ["to": .to(EntityReference("a").creating("t"))])
    _ = try await store.findOrCreate([EntityReference("a").creating("t", ["to": .to(b)])])
    #expect(try await store.require("a")["to"] == .reference("b"))
    #expect(try await store.require("b")["to"] == .reference("a"))
    #expect(try await store.count(["t"]) == [2])
  }

  @Test func `creating missing entities leaves nothing if a key or a value refers to nothing`()
    async throws
  {
    let store = try await makeStore(.memory)
    let missing = EntityReference("name", equals: "nobody")
    let keyed = EntityReference("a").creating("t", [.keyed("author", by: "nobody"): true])
    #expect(await failure { _ = try await store.findOrCreate([keyed]) }?.code == .unresolvedKey)
    let valued = EntityReference("a").creating("t", ["to": .to(missing)])
    #expect(await failure { _ = try await store.findOrCreate([valued]) }?.code == .notFound)
    #expect(try await store.handles().isEmpty)
    #expect(try await store.commitCount() == 0)
  }

  @Test(arguments: [Engine.memory, .file])
  func `creating missing entities by many tasks at once makes one of each`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let references = (0..<50).map {
      EntityReference("name", equals: .string("name \($0)")).creating("person")
    }
    let answers = try await withThrowingTaskGroup(of: [EntityID?].self) { group in
      for _ in 0..<8 {
        group.addTask { try await store.findOrCreate(references).map { $0?.id } }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(answers).count == 1)
    #expect(try await store.count(["person"]) == [50])
  }

  @Test func `applies a prototype, under the reference's own initial properties`() async throws {
    let store = try await makeStore(.memory)
    let address = StoredEntity.Property("12 High St", semanticType: "address")
    try await store.define(Prototype("local", for: "person", ["home": address, "age": .init(18)]))
    let reference = EntityReference("a").creating("person", prototype: "local", ["age": 40])
    _ = try await store.findOrCreate([reference])
    let entity = try await store.require("a")
    #expect(entity.property("home") == address)
    #expect(entity["age"] == 40)
    try await store.define(Prototype("local", for: "person", ["home": address]))
    let id = try await store.create("person", prototype: "local")
    #expect(try await store.require(id).keys == ["home"])
    #expect(try await store.prototypes(for: "person").map(\.name) == ["local"])
    let strange = await failure { _ = try await store.create("person", prototype: "none") }
    #expect(strange?.code == .notFound)
  }
}
