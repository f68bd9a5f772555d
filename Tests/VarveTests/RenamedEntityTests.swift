import Testing
import Varve

@Entity("caps", renamedFrom: ["hoods", "bonnets"]) struct Cap: Equatable {
  var id = Identifier<Cap>()
  @Field(.unique) var name: String
  var shop: Ref<Shop>?
}

@Suite("A model that was renamed")
struct RenamedEntityTests {
  private func store() async throws -> Store {
    let store = try await Store.open(.inMemory)
    try await store.create("hoods", id: "old", ["name": "old", "shop": .reference("s")])
    try await store.create("bonnets", id: "older", ["name": "older"])
    try await store.save(Cap(id: "new", name: "new"))
    return store
  }

  @Test func `reads the entities of its former labels, in the past too`() async throws {
    let store = try await store()
    #expect(try await store.count(Cap.all) == 3)
    #expect(
      try await store.fetch(Cap.all.order(by: \.name)).map(\.name) == ["new", "old", "older"]
    )
    #expect(try await store.find("old" as Identifier<Cap>)?.name == "old")
    #expect(try await store.fetch(Cap.where { $0.name != "new" }).count == 2)
    let before = try await store.frontier()
    try await store.erase("old")
    #expect(try await store.count(Cap.all) == 2)
    #expect(try await store.asOf(before).count(Cap.all) == 3)
    try await store.purge(["older"])
    #expect(try await store.count(Cap.all) == 1)
    let untyped = try TypedQuery<Cap>(Query("caps"))
    #expect(try await store.asOf(before).count(untyped) == 3)
  }

  @Test func `saves them under their label, and checks uniqueness among all`() async throws {
    let store = try await store()
    var cap = try #require(try await store.find("old" as Identifier<Cap>))
    cap.name = "changed"
    try await store.save(cap)
    #expect(try await store.entity("old")?.type == "hoods")
    #expect(try await store.entity("old")?["name"] == "changed")
    cap.name = "older"
    await #expect(throws: VarveError.self) { try await store.save(cap) }
    await #expect(throws: VarveError.self) { try await store.save(Cap(name: "older")) }
    #expect(try await store.entity("new")?.type == "caps")
  }

  @Test func `a model that was renamed is observed and merged under all labels, and undone`()
    async throws
  {
    let store = try await store()
    var results = try await store.observe(Cap.all).makeAsyncIterator()
    #expect(try await results.next()?.count == 3)
    let other = try await Store.open(.inMemory)
    try await other.merge(from: store)
    try await other.set("older", "name", "merged")
    try await store.merge(from: other)
    #expect(try await results.next()?.contains { $0.name == "merged" } == true)
    let commit = try #require(try await store.log().first)
    try await store.undo(commit.id)
    #expect(try await store.find("older" as Identifier<Cap>)?.name == "older")
  }

  @Test func `a model that was renamed is not joined, because a join has one type`() async throws {
    let store = try await store()
    let joined = Shop.all.join(Cap.self, on: \.shop, equals: \.id)
    let error = await #expect(throws: VarveError.self) { _ = try await store.fetch(joined) }
    #expect(error?.code == .invalidQuery)
  }
}
