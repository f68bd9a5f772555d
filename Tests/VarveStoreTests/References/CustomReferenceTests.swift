import Testing
import VarveCore
import VarveReferences
import VarveStore

@Suite("A class registered for a type")
struct CustomReferenceTests {
  struct Person: CustomReference, Hashable {
    static let entityType: EntityType = "person"
    let found: FoundEntity
    init(_ found: FoundEntity) { self.found = found }
  }

  @Test func `is that of every result of the type, in this store only`() async throws {
    let store = try await makeStore(.memory)
    store.register(Person.self)
    try await store.create("person", id: "p")
    try await store.create("book", id: "b")
    let found = try await store.findOrCreate(["p", "b"])
    #expect(found[0] is Person)
    #expect(found[1] is FoundEntity)
    #expect(try await store.handles(of: "person").first is Person)
    #expect(try await store.asOf(.test(10)).find(["p"])[0] is Person)
    #expect(try await store.read { try await $0.find(["p"]) }[0] is Person)
    #expect(try await store.write { try await $0.findOrCreate(["p"]) }[0] is Person)
    let other = try await makeStore(.memory)
    try await other.merge(from: store)
    #expect(try await other.findOrCreate(["p"])[0] is FoundEntity)
  }

  @Test func `a class registered for a type creates entities of its type by default`() async throws
  {
    let store = try await makeStore(.memory)
    let ann = Person.named("name", equals: "Ann", ["age": 30])
    let found = try await store.findOrCreate([ann], as: Person.self)
    let person = try #require(found[0])
    #expect(person.type == "person")
    #expect(try await store.require(person.id)["age"] == 30)
    #expect(try await store.findOrCreate([person.reference], as: Person.self) == [person])
  }

  @Test func `a class registered for a type refuses an entity of another type`() async throws {
    let store = try await makeStore(.memory)
    try await store.create("book", id: "b", ["name": "Ann"])
    #expect(
      await failure { _ = try await store.findOrCreate([Person.named("b")]) }?.code == .typeMismatch
    )
    #expect(
      await failure { _ = try await store.find(["b"], as: Person.self) }?.code == .typeMismatch
    )
    // By value it looks among its own type.
    #expect(
      try await store.findOrCreate([Person.named("name", equals: "Ann")])[0]?.type == "person"
    )
  }
}
