import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Joined rows")
struct JoinOrderTests {
  /// Creates shops and their hats in turn, so that the hats of a shop are far apart.
  private func store(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    for number in 0..<20 {
      let id = EntityID(unchecked: "shop \(19 - number)")
      try await store.create("shops", id: id, ["name": .string("\(number % 2)")])
    }
    for number in 0..<200 {
      let id = EntityID(unchecked: "hat \(number)")
      let shop = EntityID(unchecked: "shop \(number * 7 % 20)")
      try await store.create("hats", id: id, ["color": "red", "shop": .reference(shop)])
    }
    try await store.addIndex(on: "shop", of: "hats")
    try await store.addIndex(on: "name", of: "shops")
    return store
  }

  private var query: TypedQuery<Hat> {
    Hat.all.join(Shop.self, on: \.id, equals: \.shop).where(joined: Shop.self) { $0.name == "1" }
  }

  /// The identifiers of the hats whose numbers a condition selects, in their order.
  private func ids(where holds: (Int) -> Bool) -> [String] {
    (0..<200).filter { ($0 * 7 % 20) % 2 == 0 && holds($0) }.map { "hat \($0)" }
  }

  @Test(arguments: Engine.allCases)
  func `joined rows come in the order of creation, however they are read`(engine: Engine)
    async throws
  {
    let store = try await store(engine)
    let past = store.asOf(try await store.frontier())
    func expectAll(_ state: some Reading) async throws {
      let all = ids { _ in true }
      #expect(try await state.fetch(query).map(\.id.text) == all)
      #expect(try await state.fetch(query.untyped).map(\.id.text) == all)
      #expect(try await state.fetch(query.select(\.id)).map(\.text) == all)
      #expect(try await state.fetch(query.limit(3)).map(\.id.text) == Array(all.prefix(3)))
      #expect(try await state.fetch(query.offset(97)).map(\.id.text) == Array(all.dropFirst(97)))
      #expect(try await state.fetch(query.distinct).map(\.id.text) == all)
      #expect(try await state.count(query) == all.count)
    }
    try await expectAll(store)
    try await expectAll(past)
    try await store.write { try await expectAll($0) }
    // A state that lacks what was written since.
    try await store.erase(["hat 0"])
    try await store.set("hat 2", "color", "blue")
    try await expectAll(past)
    #expect(try await store.fetch(query).map(\.id.text) == ids { $0 != 0 })
  }

  @Test(arguments: Engine.allCases)
  func `joined rows come in order if some cannot be read`(engine: Engine) async throws {
    let store = try await store(engine)
    for number in [190, 4, 60] {
      try await store.set(EntityID(unchecked: "hat \(number)"), "color", 1)
    }
    let report = try await store.fetchReport(query)
    #expect(report.models.map(\.id.text) == ids { ![190, 4, 60].contains($0) })
    #expect(report.unreadable.map(\.id.text) == ["hat 4", "hat 60", "hat 190"])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `joined rows come in the order of creation if another copy's hats arrived late`(
    engine: Engine
  ) async throws {
    let clock = TestClock()
    let (store, other) = (
      try await makeStore(engine, clock: clock), try await makeStore(engine, clock: clock)
    )
    try await store.create("shops", id: "shop", ["name": "1"])
    try await store.addIndex(on: "name", of: "shops")
    for number in 0..<10 {
      clock.advance(by: 10)
      let id = EntityID(unchecked: "hat \(number)")
      let writer = number % 2 == 0 ? store : other
      try await writer.create("hats", id: id, ["color": "red", "shop": .reference("shop")])
    }
    try await store.sync(with: other)
    let all = (0..<10).map { "hat \($0)" }
    #expect(try await store.fetch(query).map(\.id.text) == all)
    #expect(try await store.fetch(query.untyped).map(\.id.text) == all)
  }
}
