import VarveCore
import VarveStore

/// The number, the sum and the greatest value of all structs, and of the groups of a property.
enum Aggregates {
  static let totalName = "aggregates of all"
  static let groupName = "aggregates by group"
  private static let queryCount = 5

  static func total(_ context: Context) async throws -> Benchmark {
    try await make(context, totalName, grouped: false)
  }

  static func groups(_ context: Context) async throws -> Benchmark {
    try await make(context, groupName, grouped: true)
  }

  private static func make(
    _ context: Context,
    _ name: String,
    grouped isGrouped: Bool
  ) async throws -> Benchmark {
    let items = ItemGenerator.small(context.scaled(200_000))
    let templates = try await Templates(context, items)
    let store = try await VarveItems(templates.varve).store
    let raw = try RawItems(templates.plain)
    let expected = items.reduce(0) { $0 + $1.count }
    let columns = "count(*), sum(count), max(price)"
    let sql =
      isGrouped
      ? "SELECT city, \(columns) FROM item GROUP BY city" : "SELECT \(columns) FROM item"
    let statement = try raw.database.prepare(sql)
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: queryCount) {
          try await seconds {
            for _ in 0..<queryCount {
              let found = try await sums(of: store, grouped: isGrouped)
              try require(found.reduce(0, +) == expected)
            }
          }
        },
        .init(name: Contestants.raw, count: queryCount) {
          try await seconds {
            for _ in 0..<queryCount {
              var sum: Int64 = 0
              while try statement.step() { sum += statement.int(isGrouped ? 2 : 1) }
              statement.reset()
              try require(Int(sum) == expected)
            }
          }
        },
      ],
      comparisons: [.rate(name, to: Contestants.raw, Bars.aggregatesToRaw)]
    )
  }

  private static func sums(of store: Store, grouped isGrouped: Bool) async throws -> [Int] {
    guard isGrouped else {
      let all = StockItem.all
      let (_, sum, _) = try await store.aggregate(all, .count, .sum(\.count), .maximum(\.price))
      return [sum ?? 0]
    }
    let groups = try await store.aggregate(
      StockItem.all,
      by: \.city,
      .count,
      .sum(\.count),
      .maximum(\.price)
    )
    return groups.map { $0.values.1 ?? 0 }
  }

  private static func require(_ isRight: Bool) throws {
    guard isRight else { throw RawError(description: "an aggregate is wrong") }
  }
}
