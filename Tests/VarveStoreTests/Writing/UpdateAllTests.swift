import Testing
import VarveCore
import VarveStore
import VarveStoreTestSupport
import VarveTestSupport

private struct Refusal: Error {}

@Suite("Writing to all entities of a query", .timeLimit(.minutes(1)))
struct UpdateAllTests {
  /// A store with hats 0 to 9, whose price is their number.
  private func makeHats(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    let rows = (0..<10).map { (EntityID(stringLiteral: "hat-\($0)"), [Value.int($0)] as [Value?]) }
    try await store.write { try await $0.create("Hat", keys: ["price"], rows: rows) }
    return store
  }

  private static let dear = Query("Hat").where(Field("price") > 6)

  @Test(arguments: Engine.allCases)
  func `writing to all entities of a query writes what differs, and returns how many did`(
    engine: Engine
  ) async throws {
    let store = try await makeHats(engine)
    #expect(try await store.as("ana").update(Self.dear, ["price": 7, "note": "x"]) == 3)
    let hats = try await store.fetch(Query("Hat"))
    #expect(hats.map { $0["price"] } == [0, 1, 2, 3, 4, 5, 6, 7, 7, 7])
    #expect(hats.map { $0["note"] } == Array(repeating: nil, count: 7) + ["x", "x", "x"])
    #expect(hats.map { $0.modified > $0.datestamp }.count { $0 } == 3)
    #expect(try await store.history(of: "hat-7", "price").map(\.author) == [nil])
    #expect(try await store.history(of: "hat-8", "price").map(\.value) == [7, 8])
    #expect(try await store.commitCount() == 2)
    #expect(try await store.update(Self.dear, ["price": 7, "note": "x"]) == 0)
    #expect(try await store.update(Self.dear, ["note": "x", "none": nil]) == 0)
    #expect(try await store.commitCount() == 2)
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `writing to all entities of a query leaves rows that have the values already`(engine: Engine)
    async throws
  {
    let store = try await makeHats(engine)
    let ends = Query("Hat").where(Field("price") < 3 || Field("price") > 6)
    #expect(try await store.update(ends, ["price": 8]) == 5)
    #expect(try await store.update(Query("Hat"), ["price": 8]) == 4)
    #expect(try await store.update(Query("Hat"), ["price": .double(8)]) == 10)
    try await store.set("hat-4", "price", 1)
    #expect(try await store.update(Query("Hat"), ["price": .double(8)]) == 1)
    var counts: [Int] = []
    for hat in try await store.fetch(Query("Hat")) {
      counts.append(try await store.history(of: hat.id, "price").count)
    }
    #expect(counts == [3, 3, 3, 3, 5, 3, 3, 3, 2, 3])
    #expect(try await store.check().isClean)
  }

  @Test(arguments: [Engine.memory, .file])
  func `writing to all entities of a query writes to most of many rows, and to few`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let rows = (0..<2_500).map { number in
      (EntityID(stringLiteral: "hat-\(number)"), [Value.int(Int64(number))] as [Value?])
    }
    try await store.write { try await $0.create("Hat", keys: ["price"], rows: rows) }
    let cheap = Query("Hat").where(Field("price") < 500)
    #expect(try await store.update(cheap, ["price": 1]) == 499)
    let most = Query("Hat").where(Field("price") < 1_500)
    #expect(try await store.update(most, ["price": 1]) == 1_000)
    // More rows have the value than a statement lists.
    #expect(try await store.update(Query("Hat"), ["price": 1]) == 1_000)
    #expect(try await store.count(Query("Hat").where(Field("price") == 1)) == 2_500)
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `writing to all entities of a query removes values, and takes those of any kind`(
    engine: Engine
  ) async throws {
    let store = try await makeHats(engine)
    for value in [
      .double(.nan), .double(-0.0), .double(0), "text", .reference("hat-1"), nil, .int(3),
    ]
      as [Value?]
    {
      #expect(
        try await store.update(Query("Hat").where(Field("price") != 3), ["price": value]) >= 0
      )
      let values = Set(try await store.fetch(Query("Hat")).map { $0["price"] })
      #expect(values.isSubset(of: [value, 3, .double(.nan), nil]), "\(values)")
      #expect(try await store.check().isClean)
    }
    #expect(try await store.update(Query("Hat"), ["price": .double(-0.0)]) == 10)
    #expect(try await store.update(Query("Hat"), ["price": .double(0)]) == 10)
    #expect(try await store.update(Query("Hat"), ["price": .double(0)]) == 0)
    #expect(try await store.update(Query("Hat"), ["price": nil]) == 10)
    #expect(try await store.update(Query("Nothing"), ["price": nil]) == 0)
  }

  @Test(arguments: Engine.allCases)
  func `selects before it writes, and counts order and limit`(engine: Engine) async throws {
    let store = try await makeHats(engine)
    let query = Query("Hat").order(by: Field("price"), descending: true).limit(2)
    #expect(try await store.update(query, ["price": -1]) == 2)
    #expect(try await store.update(query.offset(1), ["price": 50]) == 2)
    let prices = try await store.fetch(Query("Hat")).map { $0["price"] }
    #expect(
      prices == [0, 1, 2, 3, 4, 5, 50, 50, -1, -1] || prices == [0, 1, 2, 3, 4, 50, 50, 7, -1, -1]
    )
  }

  @Test(arguments: Engine.allCases)
  func `writing to all entities of a query writes once to an entity that a join repeats`(
    engine: Engine
  ) async throws {
    let store = try await makeHats(engine)
    try await store.write { tx in
      for index in 0..<4 {
        try await tx.create("Order", ["hat": .reference(index < 3 ? "hat-1" : "hat-2")])
      }
    }
    let query = Query("Hat").join("Order", on: Field("hat"), equals: .identifier)
    #expect(try await store.update(query, ["price": 100]) == 2)
    #expect(try await store.history(of: "hat-1", "price").count == 2)
    #expect(try await store.erase(query) == ["hat-1", "hat-2"])
  }

  @Test(arguments: Engine.allCases)
  func `is undone by one undo, and stays in past states`(engine: Engine) async throws {
    let store = try await makeHats(engine)
    let before = try await store.frontier()
    let (_, commit) = try await store.commit { try await $0.update(Self.dear, ["price": 0]) }
    #expect(try await store.asOf(before).count(Self.dear) == 3)
    #expect(try await store.count(Self.dear) == 0)
    let undone = try #require(commit)
    #expect(try await store.undo(undone.id).skipped.isEmpty)
    #expect(try await store.fetch(Self.dear).map { $0["price"] } == [7, 8, 9])
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `writing to all entities of a query is undone in an attempt that throws`(engine: Engine)
    async throws
  {
    let store = try await makeHats(engine)
    try await store.write { tx in
      try await tx.update(Self.dear, ["price": 8])
      _ = try? await tx.attempt {
        try await tx.update(Query("Hat"), ["price": 1, "new": 1])
        throw Refusal()
      }
      #expect(try await tx.update(Query("Hat").where(Field("price") == 8), ["price": 9]) == 3)
    }
    #expect(try await store.history(of: "hat-8", "price").map(\.value) == [9, 8])
    #expect(try await store.history(of: "hat-1", "price").map(\.value) == [1])
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `writing to all entities of a query is observed`(engine: Engine) async throws {
    let store = try await makeHats(engine)
    var changes = try await store.changes().makeAsyncIterator()
    try await store.update(Self.dear, ["price": 8, "note": nil])
    let change = try await changes.next()
    #expect(change?.changed == ["hat-7", "hat-9"])
    #expect(change?.keysByEntity == ["hat-7": ["price"], "hat-9": ["price"]])
  }

  @Test(arguments: Engine.allCases)
  func `writing to all entities of a query merges as single updates do`(engine: Engine) async throws
  {
    let store = try await makeHats(engine)
    let other = try await makeStore(engine, clock: TestClock(milliseconds: 1_700_000_001_000))
    try await other.merge(from: store)
    try await store.update(Query("Hat"), ["price": 100])
    try await other.update(Self.dear, ["price": 200])
    try await store.merge(from: other)
    try await other.merge(from: store)
    #expect(try await store.update(Query("Hat").where(Field("price") == 200), ["note": "x"]) == 3)
    #expect(try await store.conflicts().map(\.entity) == ["hat-7", "hat-8", "hat-9"])
    #expect(try await store.update(Query("Hat").where(Field("price") == 200), ["price": 5]) == 3)
    #expect(try await store.conflicts().isEmpty)
    try await other.merge(from: store)
    #expect(try await other.count(Query("Hat").where(Field("price") == 5)) == 3)
    #expect(try await other.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `replaces values that lie in the future, and dates values`(engine: Engine) async throws {
    let store = try await makeHats(engine)
    try await store.set("hat-9", "price", 20, at: .test(3_600))
    #expect(try await store.update(Self.dear, ["price": 0]) == 3)
    #expect(try await store.count(Query("Hat").where(Field("price") == 0)) == 4)
    try await store.update(Query("Hat"), ["price": 77], at: .test(-3_600))
    #expect(try await store.count(Query("Hat").where(Field("price") == 77)) == 0)
  }

  @Test(arguments: [Engine.memory, .file])
  func `writing to all entities of a query fills blocks and touches`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let rows = (0..<20_000).map { (EntityID.new(), [Value.int($0)] as [Value?]) }
    try await store.write { try await $0.create("t", keys: ["n"], rows: rows) }
    #expect(
      try await store.update(Query("t").where(Field("n") < 15_000), ["n": -1, "m": 2]) == 15_000
    )
    #expect(try await store.update(Query("t").where(Field("n") < 0), ["m": 2, "n": -2]) == 15_000)
    #expect(try await store.history(of: rows[9].0, "n").map(\.value) == [-2, -1, 9])
    #expect(try await store.history(of: rows[9].0, "m").map(\.value) == [2])
    #expect(try await store.check().isClean)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `throws for a query that cannot run, and the transaction goes on`(engine: Engine)
    async throws
  {
    let store = try await makeHats(engine)
    try await store.write { tx in
      let query = Query("Hat").where(Field.of("Shop", Field("x")) == 1)
      let error = await failure { try await tx.update(query, ["price": 1]) }
      #expect(error?.code == .invalidQuery)
      try await tx.update(Self.dear, ["price": 0])
    }
    #expect(try await store.count(Self.dear) == 0)
  }
}

@Suite("Random updates of queries")
struct RandomUpdateAllTests {
  @Test(arguments: 0..<24 as Range<UInt64>)
  func `random updates of queries do what single updates do`(seed: UInt64) async throws {
    for engine in [Engine.memory, .reference] {
      let clock = TestClock()
      let (whole, single) = (
        try await makeStore(engine, clock: clock), try await makeStore(engine, clock: clock)
      )
      let cast = StoreCast(seed: seed)
      var generator = StoreStepGenerator(
        seed: seed,
        cast: cast,
        sessionCount: 2,
        habits: [.saves, .selects]
      )
      for step in generator.steps(80) {
        guard case .write(_, let operations, let time, .commits) = step else { continue }
        for operation in operations {
          if case .createMany = operation { continue }
          try? await whole.write(at: time) { try await operation.apply(to: $0) }
          try? await single.write(at: time) { try await operation.applySingly(to: $0) }
        }
        clock.advance(by: 10)
      }
      #expect(try await Self.state(whole, cast) == Self.state(single, cast), "\(seed), \(engine)")
      #expect(try await whole.check().isClean, "seed \(seed), \(engine)")
    }
  }

  private static func state(_ store: Store, _ cast: StoreCast) async throws -> [String] {
    var lines: [String] = []
    for id in cast.all {
      guard let entity = try await store.entity(id) else { continue }
      lines.append("\(id) \(entity.type) \(entity.modified > entity.datestamp)")
      for (key, property) in entity.properties.sorted(by: { $0.key < $1.key }) {
        lines.append("  \(key) \(property.value) \(property.semanticType)")
        for version in try await store.history(of: id, key) {
          lines.append("    \(version.time) \(version.value.map { "\($0)" } ?? "-")")
        }
      }
    }
    return lines
  }
}

extension StoreOperation {
  /// Performs a write to all entities of a query as one write after the other.
  fileprivate func applySingly(to transaction: WriteTransaction) async throws {
    guard case .updateAll(let selection, let properties, let time) = self else {
      return try await apply(to: transaction)
    }
    for entity in try await transaction.fetch(selection.query) {
      try await transaction.update(entity.id, properties: properties, at: time)
    }
  }
}
