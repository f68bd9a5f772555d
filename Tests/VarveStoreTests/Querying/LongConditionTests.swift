import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Conditions with more parts than a person writes.
@Suite struct LongConditionTests {
  private static let count = 6_000

  private func store(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    try await store.write { tx in
      for number in 0..<8 {
        try await tx.create(
          "Hat",
          id: EntityID("h\(number)"),
          ["size": .int(Int64(number * 1_000)), "name": .string("n\(number)")]
        )
      }
      try await tx.create("Hat", id: "text", ["size": "1000", "name": 5])
      try await tx.create("Hat", id: "none")
    }
    return store
  }

  /// Thousands of comparisons of one kind.
  private static func parts(_ comparison: Comparison) -> [Condition] {
    (0..<count).map { number in
      switch number % 3 {
      case 0: .compare(Field("size"), comparison, .int(Int64(number)))
      case 1: .compare(Field("size"), comparison, .double(Double(number)))
      default: .compare(Field("name"), comparison, .string("n\(number)"))
      }
    }
  }

  @Test(arguments: Comparison.allCases)
  func `thousands of comparisons have the result that they have in memory`(
    comparison: Comparison
  ) async throws {
    let parts = Self.parts(comparison)
    for condition in [
      Condition.or(parts), .and(parts), !Condition.or(parts), !Condition.and(parts),
    ] {
      var found: [[EntityID]] = []
      for engine in [Engine.reference, .memory] {
        found.append(
          try await store(engine).fetch(Query("Hat").where(condition)).map(\.id)
        )
      }
      #expect(found[0] == found[1])
    }
  }

  @Test(arguments: Engine.allCases)
  func `thousands of alternatives find what one list finds`(engine: Engine) async throws {
    let store = try await store(engine)
    let values = (0..<Self.count).map { Value.int(Int64($0)) }
    let alternatives = Condition.or(values.map { Field("size") == $0 } + [Field("name") == "n7"])
    let found = try await store.fetch(Query("Hat").where(alternatives)).map(\.id)
    #expect(found == ["h0", "h1", "h2", "h3", "h4", "h5", "h7"])
    let ids = (0..<Self.count).map { Field.identifier == .string("h\($0 + 3)") }
    #expect(
      try await store.fetch(Query("Hat").where(.or(ids))).map(\.id)
        == ["h3", "h4", "h5", "h6", "h7"]
    )
    #expect(try await store.count(Query("Hat").where(!Condition.or(ids))) == 5)
  }

  @Test(arguments: Engine.allCases)
  func `thousands of related conditions are as one`(engine: Engine) async throws {
    let store = try await store(engine)
    try await store.create("Shop", id: "s")
    try await store.set("h3", "shop", .reference("s"))
    let hats = RelatedEntities.referring("Hat", by: "shop")
    let parts = (0..<300).map { hats.where(Field("size") > .int(Int64($0 * 20))).exists }
    #expect(try await store.count(Query("Shop").where(.and(parts))) == 0)
    #expect(try await store.count(Query("Shop").where(.or(parts))) == 1)
    #expect(try await store.count(Query("Shop").where(.and(Array(parts.prefix(150))))) == 1)
  }

  @Test(arguments: Engine.allCases)
  func `a list with the identifier of nothing that lives leaves out nothing else`(
    engine: Engine
  ) async throws {
    let store = try await store(engine)
    let there = try await makeStore(engine)
    try await there.create("Box", id: "ghost")
    try await there.merge(from: store)
    try await there.relate("h0", .owns, "ghost")
    try await there.relate("h0", .owns, "unheard")
    try await store.merge(from: there)
    for state in [store, there] {
      for id: EntityID in ["ghost", "unheard", "nothing"] {
        let others = Query("Hat").where(!(Field.identifier == .string(id.text)))
        #expect(try await state.count(others) == 10, "\(id)")
        let listed = Field.identifier.isIn([.string(id.text), "h1"])
        #expect(try await state.count(Query("Hat").where(!listed)) == 9, "\(id)")
      }
    }
  }
}
