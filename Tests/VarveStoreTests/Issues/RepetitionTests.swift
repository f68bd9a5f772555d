import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// A model with a list.
private struct Tour: Persistable {
  static let schema = Schema<Tour>("tours") {
    SchemaField("stops", \.stops, .relation(as: .list))
    SchemaField("guides", \.guides, .relation(as: .orderedSet))
  }

  var id = Identifier<Tour>()
  var stops = Many<Tour>()
  var guides = Many<Tour>()

  init(_ id: EntityID) { self.id = Identifier(id) }

  init(row: EntityRow) throws { id = try row.id() }

  func write(to values: inout PropertyValues) throws {}
}

@Suite("Repetitions in a list")
struct RepetitionTests {
  private func twins(_ engine: Engine) async throws -> (Store, Store) {
    let (one, two) = (try await makeStore(engine), try await makeStore(engine))
    try await one.createNodes("a", "x", "y", "z")
    try await two.merge(from: one)
    return (one, two)
  }

  /// Merges three stores until all have everything.
  private func exchange(_ stores: [Store]) async throws {
    for index in 1...2 { try await stores[0].merge(from: stores[index]) }
    for index in 1...2 { try await stores[index].merge(from: stores[0]) }
  }

  private func exchange(_ one: Store, _ two: Store) async throws {
    try await one.merge(from: two)
    try await two.merge(from: one)
  }

  @Test(arguments: Engine.allCases)
  func `repetitions in a list are those whose authors had not seen each other's elements`(
    engine: Engine
  ) async throws {
    let (one, two) = try await twins(engine)
    try await one.setCollection("a", "list", to: ["x", "y"])
    try await two.setCollection("a", "list", to: ["x", "z", "y"])
    #expect(try await one.repetitions(of: "node", key: "list") == [])
    try await exchange(one, two)
    for store in [one, two] {
      #expect(try await store.collection(of: "a", "list")?.count == 5)
      let found = try await store.repetitions(of: "node", key: "list")
      #expect(found.map(\.target) == ["x", "y"])
      #expect(found.allSatisfy { $0.entity == "a" && $0.count == 2 && $0.meantCount == 1 })
    }
    #expect(try await one.repetitions(of: "node", key: "other") == [])
    let removed = try await one.write { try await $0.removeRepetitions(of: "a", "list") }
    #expect(removed == 2)
    let again = try await one.write { try await $0.removeRepetitions(of: "a", "list") }
    #expect(again == 0)
    // The other copy settles them too, and both agree.
    try await two.write { _ = try await $0.removeRepetitions(of: "a", "list") }
    try await exchange(one, two)
    let list = try await one.collection(of: "a", "list")
    #expect(try await two.collection(of: "a", "list") == list)
    #expect(list?.sorted() == ["x", "y", "z"])
    for store in [one, two] {
      #expect(try await store.repetitions(of: "node", key: "list") == [])
      #expect(try await store.check().findings == [])
    }
  }

  @Test(arguments: Engine.allCases)
  func `repetitions in a list that an author meant stay`(engine: Engine) async throws {
    let (one, two) = try await twins(engine)
    try await one.setCollection("a", "list", to: ["x", "y", "x"])
    #expect(try await one.repetitions(of: "node", key: "list") == [])
    try await two.merge(from: one)
    try await two.addToCollection("a", "list", ["y"])
    try await exchange(one, two)
    #expect(try await one.repetitions(of: "node", key: "list") == [])
    // Both repeat: the most that one of them had in view is what it meant.
    try await one.setCollection("a", "pair", to: ["x", "x"])
    try await two.setCollection("a", "pair", to: ["x"])
    try await exchange(one, two)
    let found = try await one.repetitions(of: "node", key: "pair")
    #expect(found.map(\.count) == [3] && found.map(\.meantCount) == [2])
    #expect(try await one.write { try await $0.removeRepetitions(of: "a", "pair") } == 1)
    #expect(try await one.collection(of: "a", "pair") == ["x", "x"])
  }

  @Test(arguments: Engine.allCases)
  func `repetitions in a list that arrive later stay, and are listed again`(engine: Engine)
    async throws
  {
    let (one, two) = try await twins(engine)
    let three = try await makeStore(engine)
    try await three.merge(from: one)
    for store in [one, two, three] { try await store.setCollection("a", "list", to: ["x"]) }
    try await exchange(one, two)
    #expect(try await one.write { try await $0.removeRepetitions(of: "a", "list") } == 1)
    try await exchange(one, three)
    #expect(try await one.collection(of: "a", "list") == ["x", "x"])
    #expect(try await one.repetitions(of: "node", key: "list").map(\.count) == [2])
    #expect(try await one.write { try await $0.removeRepetitions(of: "a", "list") } == 1)
    try await exchange(one, three)
    try await exchange(one, two)
    for store in [one, two, three] {
      #expect(try await store.collection(of: "a", "list") == ["x"])
    }
  }

  @Test func `of dead elements are not listed, and settling needs a live entity`() async throws {
    let (one, two) = try await twins(.memory)
    for store in [one, two] { try await store.setCollection("a", "list", to: ["x", "y"]) }
    try await exchange(one, two)
    try await one.erase("x")
    #expect(try await one.repetitions(of: "node", key: "list").map(\.target) == ["y"])
    #expect(try await one.write { try await $0.removeRepetitions(of: "a", "list") } == 1)
    try await one.erase("a")
    let error = await failure {
      try await one.write { _ = try await $0.removeRepetitions(of: "a", "list") }
    }
    #expect(error?.code == .notFound)
  }

  @Test func `are those of the state that is asked, and a removal can be undone`() async throws {
    let (one, two) = try await twins(.memory)
    for store in [one, two] { try await store.setCollection("a", "list", to: ["x"]) }
    try await exchange(one, two)
    let then = try await one.frontier()
    let (_, commit) = try await one.commit { try await $0.removeRepetitions(of: "a", "list") }
    #expect(try await one.asOf(then).repetitions(of: "node", key: "list").count == 1)
    let id = try #require(commit?.id)
    try await one.undo(id)
    #expect(try await one.collection(of: "a", "list") == ["x", "x"])
  }

  @Test(arguments: Engine.allCases)
  func `are issues of the models whose lists have them, not of sets`(engine: Engine) async throws {
    let (one, two) = (try await makeStore(engine), try await makeStore(engine))
    try await one.create("tours", id: "t")
    try await one.create("tours", id: "u")
    try await two.merge(from: one)
    for store in [one, two] {
      try await store.setCollection("t", "stops", to: ["u"])
      try await store.setCollection("t", "guides", to: ["u"], as: .orderedSet)
    }
    try await exchange(one, two)
    let issues = try await one.issues(of: Tour.self)
    #expect(issues.count == 1)
    guard case .repetition(let found)? = issues.first else { throw VarveError(.notFound, "none") }
    #expect(found.entity == "t" && found.key == "stops" && found.target == "u")
    #expect(found.count == 2 && found.meantCount == 1)
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `repetitions in a list of random copies are gone after one copy settled them`(seed: UInt64)
    async throws
  {
    var random = SplitMix64(seed: seed)
    var stores: [Store] = []
    for _ in 0..<3 { stores.append(try await makeStore(.memory)) }
    try await stores[0].createNodes("a", "x", "y", "z")
    for store in stores.dropFirst() { try await store.merge(from: stores[0]) }
    let ids: [EntityID] = ["x", "y", "z"]
    for _ in 0..<12 {
      let index = random.pick([0, 1, 2])
      let store = stores[index]
      switch Int.random(in: 0..<4, using: &random) {
      case 0: try await store.merge(from: stores[(index + random.pick([1, 2])) % 3])
      case 1: try await store.addToCollection("a", "list", [random.pick(ids)])
      case 2:
        let wanted = (0..<Int.random(in: 0...3, using: &random)).map { _ in random.pick(ids) }
        try await store.setCollection("a", "list", to: wanted)
      default: try await store.write { _ = try await $0.removeRepetitions(of: "a", "list") }
      }
    }
    try await exchange(stores)
    let found = try await stores[0].repetitions(of: "node", key: "list")
    for store in stores {
      #expect(try await store.repetitions(of: "node", key: "list") == found, "seed \(seed)")
    }
    let before = try await stores[0].collection(of: "a", "list") ?? []
    // Two copies settle independently.
    for store in stores.prefix(2) {
      let removed = try await store.write { try await $0.removeRepetitions(of: "a", "list") }
      #expect(removed == found.reduce(0) { $0 + $1.count - $1.meantCount }, "seed \(seed)")
    }
    try await exchange(stores)
    for store in stores {
      #expect(try await store.repetitions(of: "node", key: "list") == [], "seed \(seed)")
      let after = try await store.collection(of: "a", "list") ?? []
      #expect(Set(after) == Set(before), "seed \(seed)")
      for one in found {
        #expect(after.count { $0 == one.target } == one.meantCount, "seed \(seed)")
      }
    }
  }
}
