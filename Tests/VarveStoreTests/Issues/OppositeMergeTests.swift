import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Merges of the same duplicates on several replicas")
struct OppositeMergeTests {
  @Test(
    arguments: Engine.allCases
  )
  func `keep the one that the later merge kept, and list the death of the other`(engine: Engine)
    async throws
  {
    let (here, there, clock) = try await twoCopies(engine)
    try await here.mergeDuplicates(["two"], into: "one")
    clock.advance(by: 5)
    try await there.mergeDuplicates(["one"], into: "two")
    for (store, other) in [(here, there), (there, here)] {
      try await store.merge(from: other)
      #expect(try await store.fetch(Query("Item")).map(\.id) == ["two"])
      #expect(try await store.conflicts().map(\.entity) == ["one"])
      #expect(try await store.check().findings == [])
    }
  }

  @Test(
    arguments: Engine.allCases
  )
  func `leave references and relations of others at the one that lives`(engine: Engine) async throws
  {
    let clock = TestClock()
    let here = try await makeStore(engine, clock: clock)
    for id in ["one", "two"] as [EntityID] { try await here.create("Item", id: id) }
    for (order, item) in [("first", "one"), ("second", "two")] as [(EntityID, EntityID)] {
      try await here.create("Order", id: order, ["item": .reference(item)])
      try await here.set(order, "items", .array([.reference(item), .string("x")]))
      try await here.relate(order, .free, item)
      try await here.create("Box", id: try EntityID("box-\(item)"))
      try await here.relate(try EntityID("box-\(item)"), .owns, item)
      try await here.setCollection(order, "list", to: [item, order, item])
      try await here.setCollection(order, "set", to: [item, order], as: .set)
    }
    let there = try await makeStore(engine, clock: clock)
    try await there.merge(from: here)
    clock.advance(by: 5)
    let (_, first) = try await here.commit { try await $0.mergeDuplicates(["two"], into: "one") }
    clock.advance(by: 5)
    let (_, second) = try await there.commit { try await $0.mergeDuplicates(["one"], into: "two") }
    func expect(_ item: EntityID, _ store: Store) async throws {
      for order in ["first", "second"] as [EntityID] {
        #expect(try await store.entity(order)?["item"] == .reference(item))
        #expect(
          try await store.entity(order)?["items"] == .array([.reference(item), .string("x")])
        )
        #expect(try await store.relatedIDs(order, .free) == [item])
        #expect(try await store.collection(of: order, "list") == [item, order, item])
        #expect(
          try await store.collection(of: order, "set", as: .set).map(Set.init) == [item, order]
        )
      }
      #expect(try await Set(store.relatedIDs(item, .ownedBy)) == ["box-one", "box-two"])
      #expect(try await store.check().findings == [])
    }
    try await here.merge(from: there)
    try await there.merge(from: here)
    try await expect("two", here)
    try await expect("two", there)
    clock.advance(by: 5)
    try await here.undo(#require(second).id)
    try await expect("one", here)
    clock.advance(by: 5)
    try await here.undo(#require(first).id)
    for (order, item) in [("first", "one"), ("second", "two")] as [(EntityID, EntityID)] {
      #expect(try await here.entity(order)?["item"] == .reference(item))
      let related = try await here.relatedIDs(order, .free)
      #expect(related == [item], "\(order)")
      let list = try await here.collection(of: order, "list")
      #expect(list == [item, order, item], "\(order)")
    }
  }

  @Test(arguments: Engine.allCases)
  func `leave nothing to settle if both kept the same one`(engine: Engine) async throws {
    let (here, there, _) = try await twoCopies(engine)
    try await here.mergeDuplicates(["two"], into: "one")
    try await there.mergeDuplicates(["two"], into: "one")
    try await here.merge(from: there)
    #expect(try await here.fetch(Query("Item")).map(\.id) == ["one"])
    #expect(try await here.conflicts() == [])
  }

  @Test(arguments: Engine.allCases)
  func `are undone as if only the other had been`(engine: Engine) async throws {
    let (here, there, clock) = try await twoCopies(engine)
    let (_, first) = try await here.commit { try await $0.mergeDuplicates(["two"], into: "one") }
    clock.advance(by: 5)
    let (_, second) = try await there.commit { try await $0.mergeDuplicates(["one"], into: "two") }
    try await here.merge(from: there)
    clock.advance(by: 5)
    try await here.undo(#require(second).id)
    #expect(try await here.fetch(Query("Item")).map(\.id) == ["one"])
    try await there.merge(from: here)
    clock.advance(by: 5)
    try await there.undo(#require(first).id)
    #expect(try await there.fetch(Query("Item")).map(\.id) == ["one", "two"])
  }

  @Test func `are undone alone without ending the life of the one that was kept`() async throws {
    let (here, _, clock) = try await twoCopies(.memory)
    clock.advance(by: 5)
    let (_, merge) = try await here.commit { try await $0.mergeDuplicates(["two"], into: "one") }
    clock.advance(by: 5)
    let report = try await here.undo(#require(merge).id)
    #expect(report.skipped == [])
    #expect(try await here.fetch(Query("Item")).map(\.id) == ["one", "two"])
    clock.advance(by: 5)
    let again = try await here.undo(#require(report.commit).id)
    #expect(again.skipped == [])
    #expect(try await here.fetch(Query("Item")).map(\.id) == ["one"])
  }

  /// Replicas merge random duplicates into random others, unaware of each other.
  @Test(
    arguments: Seeds.first(8, of: 1..<400)
  )
  func `never lose all of them, whichever each replica keeps`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let clock = TestClock()
    let ids = try (0..<Int.random(in: 2...5, using: &random)).map { try EntityID("item-\($0)") }
    let first = try await makeStore(.memory, clock: clock)
    for id in ids { try await first.create("Item", id: id, ["name": "bread"]) }
    var stores = [first]
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let store = try await makeStore(.memory, clock: clock)
      try await store.merge(from: first)
      stores.append(store)
    }
    for _ in 0..<Int.random(in: 2...7, using: &random) {
      clock.advance(by: Int64.random(in: 1...9, using: &random))
      guard let store = stores.randomElement(using: &random) else { continue }
      let live = try await store.fetch(Query("Item")).map(\.id).shuffled(using: &random)
      let doubles = Array(live.prefix(Int.random(in: 1...2, using: &random)))
      guard let kept = live.dropFirst(doubles.count).first else { continue }
      let date =
        Bool.random(using: &random) ? nil : HybridTime(millisecondsSince1970: clock.now).date
      try await store.write { try await $0.mergeDuplicates(doubles, into: kept, at: date) }
      if Int.random(in: 0..<4, using: &random) == 0,
        let other = stores.randomElement(using: &random), other !== store
      {
        try await store.merge(from: other)
      }
    }
    for _ in 0..<2 {
      for store in stores {
        for other in stores where other !== store { try await store.merge(from: other) }
      }
    }
    let live = Set(try await first.fetch(Query("Item")).map(\.id))
    #expect(!live.isEmpty, "seed \(seed)")
    let listed = Set(try await first.conflicts().map(\.entity))
    for store in stores {
      #expect(Set(try await store.fetch(Query("Item")).map(\.id)) == live, "seed \(seed)")
      #expect(Set(try await store.conflicts().map(\.entity)) == listed, "seed \(seed)")
      #expect(try await store.check().findings == [], "seed \(seed)")
    }
  }

  private func twoCopies(_ engine: Engine) async throws -> (Store, Store, TestClock) {
    let clock = TestClock()
    let here = try await makeStore(engine, clock: clock)
    try await here.create("Item", id: "one", ["name": "bread"])
    try await here.create("Item", id: "two", ["name": "bread"])
    let there = try await makeStore(engine, clock: clock)
    try await there.merge(from: here)
    clock.advance(by: 5)
    return (here, there, clock)
  }
}
