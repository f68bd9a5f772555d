import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Groups of models")
struct GroupTests {
  /// Samples in groups by text and grade; one has neither.
  private func store(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    let rows: [(String?, Grade?, Int?, Decimal?)] = [
      ("a", .low, 1, 1), ("a", .high, 2, 2), ("a", .low, 1, Decimal(string: "1.0")),
      ("b", .low, 9, nil),
      (nil, nil, nil, nil),
    ]
    for (index, row) in rows.enumerated() {
      var sample = Sample(id: Identifier(EntityID(stringLiteral: "s\(index)")))
      (sample.text, sample.grade, sample.int, sample.decimal) = row
      try await store.save(sample)
    }
    return store
  }

  @Test(arguments: Engine.allCases)
  func `are formed by several properties, in their order`(engine: Engine) async throws {
    let store = try await store(engine)
    let groups = try await store.aggregate(
      Sample.all.grouped(by: \.text, \.grade),
      .count,
      .sum(\.int)
    )
    #expect(groups.map { $0.keys.0.flatMap { $0 } } == [nil, "a", "a", "b"])
    #expect(groups.map { $0.keys.1.flatMap { $0 } } == [nil, .low, .high, .low])
    #expect(groups.map(\.values.0) == [1, 2, 1, 1])
    #expect(groups.map(\.values.1) == [nil, 2, 2, 9])
  }

  @Test(arguments: Engine.allCases)
  func `are limited by conditions on their results, now, then and in a write`(
    engine: Engine
  ) async throws {
    let store = try await store(engine)
    let past = try await store.frontier()
    let groups = Sample.all.grouped(by: \.text)
    func texts(
      _ reading: some Reading,
      _ groups: TypedGroups<Sample, String?>
    ) async throws -> [String?] {
      try await reading.aggregate(groups, .count).map { $0.keys.flatMap { $0 } }
    }
    #expect(try await texts(store, groups.having(.count > 1)) == ["a"])
    #expect(try await texts(store, groups.having(.sum(\.int) > 3)) == ["a", "b"])
    #expect(try await texts(store, groups.having(.sum(\.int) > 3 && .count == 1)) == ["b"])
    #expect(try await texts(store, groups.having(.sum(\.int) > 3).having(.count == 1)) == ["b"])
    #expect(try await texts(store, groups.having(!(.sum(\.int) > 3))) == [])
    #expect(try await texts(store, groups.having(.sum(\.int) == nil)) == [nil])
    #expect(try await texts(store, groups.having(.sum(\.decimal) >= 4)) == ["a"])
    #expect(try await texts(store, groups.having(.maximum(\.decimal) < 10)) == ["a"])
    try await store.write { tx in
      try await tx.erase(["s0", "s1"])
      #expect(try await texts(tx, groups.having(.count > 1)) == [])
    }
    #expect(try await texts(store.asOf(past), groups.having(.count > 1)) == ["a"])
  }

  @Test(arguments: Engine.allCases, [false, true])
  func `have the average of the exact sum of integers, also beside other kinds`(
    engine: Engine,
    isMixed: Bool
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("N", id: "a", ["v": .int(9_007_199_254_740_993)])
    try await store.create("N", id: "b", ["v": .int(-9_007_199_254_740_992)])
    try await store.create("N", id: "c", ["v": .int(.max), "w": 1])
    try await store.create("N", id: "d", ["v": .int(.max), "w": 1])
    // Values of several kinds are not aggregated by SQL.
    if isMixed { try await store.create("N", id: "e", ["v": "text"]) }
    let average = [Aggregation(.average, of: Field("v"))]
    let groups = try await store.aggregate(Query("N"), by: [Field("w")], average)
    #expect(groups.map(\.values) == [[.double(0.5)], [.double(0x1p63)]])
  }

  @Test(arguments: Engine.allCases)
  func `count the values that differ`(engine: Engine) async throws {
    let store = try await store(engine)
    let (texts, decimals, ints) = try await store.aggregate(
      Sample.all,
      .countDistinct(\.text),
      .countDistinct(\.decimal),
      .countDistinct(\.int)
    )
    #expect((texts, decimals, ints) == (2, 2, 3))
    try await store.set("s3", "text", 5)
    let row = try await store.aggregate(
      Query("samples"),
      [
        Aggregation(.countDistinct, of: Field("text")),
        Aggregation(.countDistinct, of: Field("no")),
      ]
    )
    #expect(row.map(\.values) == [[2, 0]])
  }

  @Test(arguments: Engine.allCases)
  func `without aggregations are the distinct combinations`(engine: Engine) async throws {
    let store = try await store(engine)
    let rows = try await store.aggregate(
      Query("samples"),
      by: [Field("text"), Field("int")],
      having: Aggregation(.count) > 1 || Aggregation(.count, of: Field("text")) == 0,
      []
    )
    #expect(rows.map(\.keys) == [[nil, nil], ["a", 1]])
    #expect(rows.map(\.values) == [[], []])
  }
}
