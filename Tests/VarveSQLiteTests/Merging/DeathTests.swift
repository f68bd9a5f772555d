import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("Unseen deaths")
struct DeathTests {
  private let clock = TestClock()

  /// Two stores with a shop that owns a hat.
  private func pair() async throws -> (Store, Store) {
    let names = Fleet.replicas(count: 2, seed: 7)
    let one = Store(backend: try await memoryBackend(names[0], clock))
    let two = Store(backend: try await memoryBackend(names[1], clock))
    try await one.write { tx in
      for id in ["shop", "hat"] as [EntityID] { try await tx.create("Thing", id: id) }
      try await tx.relate("shop", .owns, "hat")
    }
    try await two.merge(from: one)
    return (one, two)
  }

  private func sync(_ one: Store, _ two: Store) async throws {
    clock.advance(by: 5)
    try await two.merge(from: one)
    try await one.merge(from: two)
  }

  /// The deaths both stores list; they must agree, rebuilt as well.
  private func deaths(_ one: Store, _ two: Store) async throws -> [Conflict] {
    let conflicts = try await one.conflicts()
    #expect(try await two.conflicts() == conflicts)
    try await two.rebuild()
    #expect(try await two.conflicts() == conflicts)
    #expect(try await one.check().findings == [])
    return conflicts.filter { $0.kind == .death }
  }

  @Test func `unseen deaths are listed if something was added to an erased entity`() async throws {
    let (one, two) = try await pair()
    try await one.erase("shop")
    try await two.write { tx in
      try await tx.create("Thing", id: "cap", ["color": "red"])
      try await tx.relate("shop", .owns, "cap")
    }
    try await sync(one, two)
    let deaths = try await deaths(one, two)
    #expect(deaths.map(\.entity) == ["cap"])
    #expect(deaths.first?.erased == ["shop"])
    #expect(deaths.first?.versions.contains { $0.key == "color" } == true)
  }

  @Test func `unseen deaths are listed if two owners were erased concurrently`() async throws {
    let (one, two) = try await pair()
    try await one.create("Thing", id: "other")
    try await one.relate("other", .owns, "hat")
    try await sync(one, two)
    try await one.erase("shop")
    try await two.erase("other")
    #expect(try await one.entity("hat") != nil)
    try await sync(one, two)
    let deaths = try await deaths(one, two)
    #expect(deaths.map(\.entity) == ["hat"])
    #expect(deaths.first?.erased == ["other", "shop"])
  }

  @Test func `unseen deaths are listed if one owner was erased and the other gave it up`()
    async throws
  {
    let (one, two) = try await pair()
    try await one.create("Thing", id: "other")
    try await one.relate("other", .owns, "hat")
    try await sync(one, two)
    try await one.erase("shop")
    try await two.unrelate("other", .owns, "hat")
    try await sync(one, two)
    #expect(try await deaths(one, two).map(\.entity) == ["hat"])
  }

  @Test func `list concurrent writes, until a commit has seen them`() async throws {
    let (one, two) = try await pair()
    try await one.erase("shop")
    try await two.as("two").set("hat", "color", "blue")
    try await two.set("shop", "name", "Corner")
    try await sync(one, two)
    let deaths = try await deaths(one, two)
    #expect(deaths.map(\.entity) == ["hat", "shop"])
    #expect(deaths.map { $0.versions.map(\.key) } == [["color"], ["name"]])
    #expect(deaths.first?.versions.first?.author == "two")
    try await one.create("Thing", id: "new")
    #expect(try await self.deaths(one, one).count == 2)
  }

  @Test func `unseen deaths are settled by restoring, and by erasing again after a restore`()
    async throws
  {
    let (one, two) = try await pair()
    try await one.erase("shop")
    try await two.set("hat", "color", "blue")
    try await sync(one, two)
    #expect(try await deaths(one, two).map(\.entity) == ["hat"])
    try await one.write { tx in
      try await tx.restore("shop")
      try await tx.erase("shop")
    }
    try await sync(one, two)
    #expect(try await deaths(one, two) == [])
    #expect(try await one.entity("hat") == nil)
    try await two.restore("shop")
    try await sync(one, two)
    #expect(try await deaths(one, two) == [])
    #expect(try await one.require("hat")["color"] == "blue")
  }

  @Test func `do not exist if both sides erased, or the eraser had seen everything`() async throws {
    let (one, two) = try await pair()
    try await one.erase("shop")
    try await two.erase("shop")
    try await sync(one, two)
    #expect(try await deaths(one, two) == [])
    try await one.restore("shop")
    try await one.set("hat", "color", "red")
    try await sync(one, two)
    try await two.erase("hat")
    try await one.create("Thing", id: "bystander")
    try await sync(one, two)
    #expect(try await deaths(one, two) == [])
  }

  @Test func `unseen deaths are listed again if a commit has seen the entity live since`()
    async throws
  {
    let (one, two) = try await pair()
    try await one.erase("shop")
    try await sync(one, two)
    try await one.restore("shop")
    try await one.create("Thing", id: "other")
    try await one.relate("other", .owns, "hat")
    try await sync(one, two)
    try await one.erase("shop")
    try await two.unrelate("other", .owns, "hat")
    try await sync(one, two)
    #expect(try await deaths(one, two).map(\.entity) == ["hat"])
  }

  @Test func `unseen deaths of a chain are listed in a time that follows its length`() async throws
  {
    let (one, two) = try await pair()
    let ids = (0..<3_000).map { EntityID(unchecked: "c\($0)") }
    try await one.write { tx in
      for id in ids { try await tx.create("Thing", id: id) }
      for (owner, owned) in zip(ids, ids.dropFirst()) { try await tx.relate(owner, .owns, owned) }
    }
    try await sync(one, two)
    try await one.erase(ids[0])
    try await two.write { tx in for id in ids { try await tx.set(id, "n", 1) } }
    try await sync(one, two)
    #expect(try await one.conflicts().count == ids.count)
  }
}
