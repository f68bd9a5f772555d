import Testing
import VarveCore
import VarveStore

@Suite("Aggregates of joined types")
struct JoinedAggregateTests {
  /// Hats in shops, whose sizes and ranks are integers; with an odd value, some are texts.
  private func store(_ engine: Engine, isMixed: Bool) async throws -> (Store, Query) {
    let store = try await makeStore(engine)
    try await store.create("Shop", id: "s", ["rank": 1, "city": "x"])
    try await store.create("Shop", id: "t", ["rank": 2, "city": "y"])
    if isMixed { try await store.create("Shop", id: "u", ["rank": "three", "city": 5]) }
    for (index, shop) in (["s", "s", "t", "t", "t", "u"] as [EntityID]).enumerated() {
      let size: Value = isMixed && index == 1 ? "big" : .int(Int64(index))
      try await store.create(
        "Hat",
        id: EntityID("h\(index)"),
        [
          "size": size, "shop": .reference(shop),
        ]
      )
    }
    return (store, Query("Hat").join("Shop", on: .identifier, equals: Field("shop")))
  }

  @Test(arguments: Engine.allCases, [false, true])
  func `see the joined values, of whatever kinds values are`(engine: Engine, isMixed: Bool)
    async throws
  {
    let (store, query) = try await store(engine, isMixed: isMixed)
    let rank = Field.of("Shop", Field("rank"))
    let aggregations = [
      Aggregation(.count), Aggregation(.count, of: rank), Aggregation(.sum, of: rank),
      Aggregation(.minimum, of: rank), Aggregation(.maximum, of: Field("size")),
    ]
    let all = try await store.aggregate(query, aggregations)
    #expect(all.count == 1)
    #expect(all.first?.values == (isMixed ? [6, 6, 8, 1, "big"] : [5, 5, 8, 1, 4]))
    let groups = try await store.aggregate(
      query,
      by: [.of("Shop", Field("city"))],
      [Aggregation(.count), Aggregation(.sum, of: rank)]
    )
    let keys = Set(groups.map { $0.keys[0] })
    #expect(keys == (isMixed ? ["x", "y", 5] : ["x", "y"]))
    #expect(groups.first { $0.keys == ["y"] }?.values == [3, 6])
    #expect(try await store.aggregate(query, [Aggregation(.count)]).first?.values[0] != 0)
  }

  @Test(arguments: Engine.allCases)
  func `see decimal numbers of what is joined`(engine: Engine) async throws {
    let (store, query) = try await store(engine, isMixed: true)
    try await store.set("s", "rank", "1.50")
    let rank = Field.decimal(.of("Shop", Field("rank")))
    let row = try await store.aggregate(
      query,
      [Aggregation(.sum, of: rank), Aggregation(.maximum, of: rank)]
    ).first
    #expect(
      row?.values == ["9.0", "2"] || row?.values == ["9.00", "2"] || row?.values == ["9", "2"]
    )
  }
}
