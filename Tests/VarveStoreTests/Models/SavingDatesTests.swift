import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Dates that saving sets")
struct SavingDatesTests {
  private let clock = TestClock()

  private func sync(_ one: Store, _ two: Store) async throws {
    clock.advance(by: 5)
    try await two.merge(from: one)
    try await one.merge(from: two)
    clock.advance(by: 5)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `are no conflict if different properties were saved concurrently`(engine: Engine)
    async throws
  {
    let one = try await makeStore(engine, clock: clock)
    let two = try await makeStore(engine, clock: clock)
    var hat = try await one.save(Hat("red", 10))
    try await sync(one, two)
    var same = hat
    hat.color = "blue"
    try await one.save(hat)
    clock.advance(by: 5)
    same.brimSize = 12
    let last = try await two.save(same)
    try await sync(one, two)
    for store in [one, two] {
      #expect(try await store.conflicts() == [])
      let merged = try await store.require(hat.id)
      #expect(merged.color == "blue")
      #expect(merged.brimSize == 12)
      #expect(merged.updatedAt == last.updatedAt)
      #expect(merged.createdAt == last.createdAt)
      #expect(try await store.check().isClean)
    }
  }

  @Test(arguments: Engine.allCases)
  func `dates that saving sets are no conflict if one identifier was added concurrently`(
    engine: Engine
  ) async throws {
    let one = try await makeStore(engine, clock: clock)
    let two = try await makeStore(engine, clock: clock)
    try await one.save([Hat(id: "hat", "red"), Hat(id: "cap", "red")])
    clock.advance(by: 5)
    try await two.save(Hat(id: "hat", "red"))
    try await two.save(Hat(id: "cap", "blue"))
    try await sync(one, two)
    for store in [one, two] {
      #expect(try await store.conflicts().map(\.entity) == ["cap"])
      #expect(try await store.conflicts().map(\.key) == ["color"])
    }
  }

  @Test(arguments: Engine.allCases)
  func `dates that saving sets conflict if callers set them`(engine: Engine) async throws {
    let one = try await makeStore(engine, clock: clock)
    let two = try await makeStore(engine, clock: clock)
    for (store, second) in [(one, 1.0), (two, 2)] {
      var hat = Hat(id: "hat", "red")
      hat.createdAt = .test(second)
      try await store.save([hat, Hat("red")])
    }
    try await sync(one, two)
    #expect(try await one.conflicts().map(\.key) == ["created_at"])
    #expect(try await two.conflicts() == one.conflicts())
  }

  @Test(arguments: Engine.allCases)
  func `dates that saving sets are not set if nothing else is written`(engine: Engine) async throws
  {
    let store = try await makeStore(engine, clock: clock)
    let hat = try await store.save(Hat("red", 10))
    let count = try await store.commitCount()
    clock.advance(by: 1_000)
    var again = hat
    again.updatedAt = .test(500)
    let same = try await store.save(again)
    try await store.save([hat, hat])
    #expect(same.updatedAt == hat.updatedAt)
    #expect(try await store.commitCount() == count)
    #expect(try await store.require(hat.id).updatedAt == hat.updatedAt)
    again.color = "blue"
    let changed = try await store.save(again)
    #expect(changed.updatedAt == .test(1))
    #expect(try await store.require(hat.id).updatedAt == .test(1))
    #expect(try await store.commitCount() == count + 1)
  }

  @Test(arguments: Engine.allCases)
  func `dates that saving sets are set if only a relation is written`(engine: Engine) async throws {
    let store = try await makeStore(engine, clock: clock)
    let shop = try await store.save(Shop(name: "Main"))
    var hat = try await store.save(Hat("red", 10))
    clock.advance(by: 1_000)
    hat.shop = shop.ref
    #expect(try await store.save(hat).updatedAt == .test(1))
  }
}
