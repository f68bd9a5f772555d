import Foundation
import Observation
import Synchronization
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Counts how often something observable is about to change.
@MainActor
private final class Invalidations {
  private let count = Mutex(0)
  private let read: @MainActor () -> Void

  init(_ read: @escaping @MainActor () -> Void) {
    self.read = read
    track()
  }

  /// The number since the last call.
  func take() -> Int {
    let seen = count.withLock { count in
      defer { count = 0 }
      return count
    }
    if seen > 0 { track() }
    return seen
  }

  private func track() {
    withObservationTracking(read) { [weak self] in self?.count.withLock { $0 += 1 } }
  }
}

@MainActor
@Suite("Live results")
struct LiveResultsTests {
  @Test(arguments: Engine.allCases)
  func `live results show the rows, and again after each change of them`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    var hat = Hat(id: "a", "red", 8)
    try await store.save(hat)
    let hats = LiveResults(Hat.where { $0.brimSize > 7 }.order(by: \.color), in: store)
    #expect(hats.isLoading && hats.models.isEmpty)
    try await hats.settle()
    #expect(!hats.isLoading && hats.models.map(\.color) == ["red"])
    let invalidations = Invalidations { _ = hats.models }
    try await store.save(Hat(id: "b", "blue", 9))
    try await hats.settle()
    #expect(hats.models.map(\.id) == ["b", "a"])
    #expect(invalidations.take() == 1)
    // The identifiers stay as they are: `==` of the models sees no difference.
    hat.color = "azure"
    try await store.save(hat)
    try await hats.settle()
    #expect(hats.models.map(\.color) == ["azure", "blue"])
    #expect(invalidations.take() == 1)
    try await store.erase("b")
    try await hats.settle()
    #expect(hats.models.map(\.id) == ["a"])
  }

  @Test func `live results notify nobody of a read whose rows are equal in all properties`()
    async throws
  {
    let store = try await makeStore(.memory)
    try await store.save(Hat(id: "a", "red", 8))
    let hats = LiveResults(Hat.where { $0.brimSize > 7 }, in: store)
    try await hats.settle()
    let invalidations = Invalidations { _ = (hats.models, hats.error, hats.isLoading) }
    try await store.save(Hat(id: "small", "red", 6))
    try await store.set("a", "note", "not a property of the model")
    try await store.create("Shop", id: "s")
    try await hats.settle()
    #expect(invalidations.take() == 0)
  }

  @Test func `see a change of a loaded relation, though the row and its references are the same`()
    async throws
  {
    let store = try await makeStore(.memory)
    var shop = Shop(id: "s", name: "old")
    try await store.save(shop)
    try await store.save(Hat(id: "a", "red", 8, shop: Ref("s")))
    let hats = LiveResults(Hat.all.with(\.shop), in: store)
    let shops = LiveResults(Shop.all.with(\.hats), in: store)
    try await hats.settle()
    try await shops.settle()
    shop.name = "new"
    try await store.save(shop)
    try await store.set("a", "color", "blue")
    try await hats.settle()
    try await shops.settle()
    #expect(hats.models.first?.shop?.loaded?.name == "new")
    #expect(shops.models.first?.hats.loaded?.map(\.color) == ["blue"])
  }

  @Test(arguments: Engine.allCases)
  func `live results show a past state, and the last of many requests`(engine: Engine) async throws
  {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    for second in 1...9 {
      clock.advance(by: 1_000)
      try await store.create("hats", id: try EntityID("h\(second)"), ["color": "red"])
    }
    let hats = LiveResults(Hat.all, in: store)
    for second in 1...9 { hats.moment = try .at(.test(Double(second))) }
    hats.moment = try .at(.test(3))
    #expect(hats.isLoading)
    try await hats.settle()
    #expect(hats.models.map(\.id) == ["h1", "h2", "h3"])
    let frontier = try await store.frontier()
    hats.moment = .frontier(frontier)
    hats.query = Hat.all.limit(2)
    try await store.erase("h1")
    try await hats.settle()
    #expect(hats.models.map(\.id) == ["h1", "h2"])
    hats.moment = .now
    try await hats.settle()
    #expect(hats.models.map(\.id) == ["h2", "h3"])
  }

  @Test func `at a past moment follow what is written, merged, undone and purged there`()
    async throws
  {
    let clock = TestClock()
    let store = try await makeStore(.memory, clock: clock)
    try await store.create("hats", id: "a", ["color": "red"])
    clock.advance(by: 10_000)
    try await store.create("hats", id: "later", ["color": "green"])
    try await store.set("a", "color", "blue")
    let hats = LiveResults(Hat.all, in: store, at: try .at(.test(5)))
    try await hats.settle()
    #expect(hats.models.map(\.color) == ["red"])
    // The present stays as it is.
    try await store.set("a", "color", "pink", at: .test(4))
    try await hats.settle()
    #expect(hats.models.map(\.color) == ["pink"])
    let early = TestClock()
    early.advance(by: 4_500)
    let other = try await makeStore(.memory, clock: early)
    try await other.merge(from: store)
    try await other.create("hats", id: "merged", ["color": "grey"], at: .test(4.5))
    try await store.merge(from: other)
    try await hats.settle()
    #expect(Set(hats.models.map(\.id)) == ["a", "merged"])
    try await store.purge(["a"])
    try await hats.settle()
    #expect(hats.models.map(\.id) == ["merged"])
  }

  @Test func `live results follow merges, undo and purges of the present`() async throws {
    let store = try await makeStore(.memory)
    let other = try await makeStore(.memory)
    let hats = LiveResults(Hat.all, in: store)
    try await other.create("hats", id: "a", ["color": "red"])
    try await store.merge(from: other)
    try await hats.settle()
    #expect(hats.models.map(\.color) == ["red"])
    try await store.set("a", "color", "blue")
    let commit = try #require(try await store.log().first)
    try await store.undo(commit.id)
    try await hats.settle()
    #expect(hats.models.map(\.color) == ["red"])
    try await store.purge(["a"])
    try await hats.settle()
    #expect(hats.models.isEmpty)
  }

  @Test func `live results read once for several commits, and not at all for other types`()
    async throws
  {
    let store = try await makeStore(.memory)
    let reads = Mutex(0)
    let count = LiveValue(of: Hat.all, in: store) { state, query in
      reads.withLock { $0 += 1 }
      return try await state.count(query)
    }
    try await count.settle()
    for _ in 0..<20 { try await store.create("hats") }
    try await count.settle()
    #expect(count.value == 20)
    #expect(reads.withLock { $0 } < 20)
    let before = reads.withLock { $0 }
    try await store.create("Shop")
    try await count.settle()
    #expect(reads.withLock { $0 } == before)
  }

  @Test func `live results keep their rows after an error, and read again when it is over`()
    async throws
  {
    let store = try await makeStore(.memory)
    try await store.save(Hat(id: "a", "red", 8))
    let hats = LiveResults(Hat.all, in: store)
    try await hats.settle()
    hats.query = Hat.all.where(["nothing": 1])
    await #expect(throws: VarveError.self) { try await hats.settle() }
    #expect((hats.error as? VarveError)?.code == .unknownProperty)
    #expect(hats.models.map(\.id) == ["a"] && !hats.isLoading)
    hats.query = Hat.all
    try await hats.settle()
    #expect(hats.error == nil)
    try await store.close()
    await #expect(throws: VarveError.self) { try await hats.settle() }
    #expect((hats.error as? VarveError)?.code == .closed)
    #expect(hats.models.map(\.id) == ["a"])
  }

  @Test func `live results compare values that are models by their properties`() async throws {
    let store = try await makeStore(.memory)
    try await store.save(Hat(id: "a", "red", 8))
    let first = LiveValue(of: Hat.all, in: store) { try await $0.first($1) }
    let all = LiveValue(["hats"], in: store) { try await $0.fetch(Hat.all) }
    try await first.settle()
    try await all.settle()
    try await store.set("a", "color", "blue")
    try await first.settle()
    try await all.settle()
    #expect(first.value??.color == "blue")
    #expect(all.value?.map(\.color) == ["blue"])
    let invalidations = Invalidations { _ = (first.value, all.value) }
    // The value is written again, so both read.
    try await store.set("a", "color", "blue")
    try await first.settle()
    try await all.settle()
    #expect(invalidations.take() == 0)
  }

  @Test func `live results of one entity follow it, its death and its return, and no other`()
    async throws
  {
    let clock = TestClock()
    let store = try await makeStore(.memory, clock: clock)
    try await store.save(Hat(id: "a", "red", 8))
    clock.advance(by: 1_000)
    let hat = LiveEntity<Hat>("a", in: store)
    try await hat.settle()
    #expect(hat.model?.color == "red")
    let invalidations = Invalidations { _ = hat.model }
    try await store.save(Hat(id: "b", "green", 8))
    try await hat.settle()
    #expect(invalidations.take() == 0)
    try await store.set("a", "color", "blue")
    try await hat.settle()
    #expect(hat.model?.color == "blue" && invalidations.take() == 1)
    try await store.erase("a")
    try await hat.settle()
    #expect(hat.model == nil)
    hat.moment = try .at(.test(0.5))
    try await hat.settle()
    #expect(hat.model?.color == "red")
    hat.moment = .now
    try await store.restore("a")
    try await hat.settle()
    #expect(hat.model?.color == "blue")
  }

  @Test func `live results end with their last owner, and leave no subscription behind`()
    async throws
  {
    let store = try await makeStore(.memory)
    weak var seen: LiveResults<Hat>?
    do {
      let hats = LiveResults(Hat.all, in: store)
      seen = hats
      try await hats.settle()
    }
    #expect(seen == nil)
    try await store.create("hats")
    try await store.close()
  }

  @Test func `live results made inside a write show what it wrote, once it is committed`()
    async throws
  {
    let store = try await makeStore(.memory)
    var hats: LiveResults<Hat>?
    try await store.write { @MainActor tx in
      try await tx.create("hats", id: "a", ["color": "red"])
      hats = LiveResults(Hat.all, in: store)
      await #expect(throws: VarveError.self) { try await hats?.settle() }
    }
    try await hats?.settle()
    #expect(hats?.models.map(\.color) == ["red"])
  }

  @Test func `of a store for previews have its sample data, which was written at once`()
    async throws
  {
    let store = Store.preview { store in
      for color in ["red", "blue"] { try await store.save(Hat(color, 8)) }
    }
    let hats = LiveResults(Hat.all.order(by: \.color), in: store)
    try await hats.settle()
    #expect(hats.models.map(\.color) == ["blue", "red"])
  }
}
