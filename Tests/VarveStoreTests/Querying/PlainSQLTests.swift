import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Queries at random, over columns of one kind each.
private struct RandomQueries {
  var random: SplitMix64
  private let texts = ["", "a", "A", "ab", "b*", "[a]", "é", "e\u{301}", "ab'\"", "10"]
  private let numbers: [Value] = [-1, 0, 1, 1.5, 2, 10]

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private mutating func text() -> String { texts.randomElement(using: &random) ?? "" }

  private mutating func number() -> Value { numbers.randomElement(using: &random) ?? 0 }

  /// Saves entities of two types, some of them with names that no column can have as they are.
  mutating func fill(_ store: Store) async throws {
    for index in 0..<24 {
      var values: [PropertyKey: Value] = [:]
      if Bool.random(using: &random) { values["number"] = number() }
      if Bool.random(using: &random) { values["text"] = .string(text()) }
      if Bool.random(using: &random) { values["order by"] = .string(text()) }
      let parent = Int.random(in: 0..<24, using: &random)
      if Bool.random(using: &random) { values["parent"] = .reference(try EntityID("e\(parent)")) }
      let type: EntityType = index % 3 == 0 ? "other hats" : "hat"
      try await store.create(type, id: try EntityID("e\(index)"), values)
    }
  }

  private mutating func condition(depth: Int) -> Condition {
    let field: Field = Bool.random(using: &random) ? Field("text") : Field("order by")
    let comparisons: [Comparison] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    let comparison = comparisons.randomElement(using: &random) ?? .equal
    switch Int.random(in: 0..<(depth > 0 ? 13 : 10), using: &random) {
    case 8: return .compareFields(field, comparison, Field("text"))
    case 9: return .compareFields(Field("number"), comparison, Field("number"))
    case 0: return .compare(Field("number"), comparison, number())
    case 1: return .compare(field, comparison, .string(text()))
    case 2: return .isIn(field, [.string(text()), .string(text())])
    case 3: return .hasPrefix(field, text())
    case 4: return .contains(field, text())
    case 5: return .isMissing(Bool.random(using: &random) ? field : Field("number"))
    case 6: return .isIn(Field("number"), [number(), number()])
    case 7:
      return .compare(
        .identifier,
        comparison,
        .string("e\(Int.random(in: 0..<24, using: &random))")
      )
    case 10: return .not(condition(depth: depth - 1))
    case 11: return .and([condition(depth: depth - 1), condition(depth: depth - 1)])
    default: return .or([condition(depth: depth - 1), condition(depth: depth - 1)])
    }
  }

  /// A query whose order leaves nothing open, as the SQL shown leaves rows that are equal by it.
  mutating func next() -> Query {
    var query = Query("hat")
    switch Int.random(in: 0..<4, using: &random) {
    case 0: query = query.join("other hats", on: .identifier, equals: Field("parent"))
    case 1: query = query.join("hat", on: .identifier, equals: Field("parent"))
    default: break
    }
    if Bool.random(using: &random) { query = query.where(condition(depth: 2)) }
    if Bool.random(using: &random) {
      let field = [Field("number"), Field("text")].randomElement(using: &random) ?? .identifier
      query = query.order(by: field, descending: Bool.random(using: &random))
    }
    query = query.order(by: .identifier, descending: Bool.random(using: &random))
    if Bool.random(using: &random) { query = query.limit(Int.random(in: 0..<12, using: &random)) }
    if Bool.random(using: &random) { query = query.offset(Int.random(in: 0..<6, using: &random)) }
    return query
  }
}

@Suite("The SQL shown for a query")
struct PlainSQLTests {
  @Test(arguments: [Engine.memory, .file], 1...4)
  func `names the rows the query fetches`(engine: Engine, seed: UInt64) async throws {
    let store = try await makeStore(engine)
    var queries = RandomQueries(seed: seed)
    try await queries.fill(store)
    for number in 0..<60 {
      let query = queries.next()
      let shown = try await store.sql(query.select(.sql("hat.row")))
      let named = Query("hat").where(sql: "hat.row IN (\(shown.sql))", shown.parameters)
      let expected = Set(try await store.fetch(query).map(\.id))
      #expect(
        Set(try await store.fetch(named).map(\.id)) == expected,
        "seed \(seed), query \(number): \(shown)"
      )
    }
  }
}
