import GRDB
import VarveCore
import VarveStore

/// One in a hundred structs, by an indexed property.
enum IndexedFilter {
  static let name = "indexed filter, 1%"
  private static let queryCount = 20

  static func make(_ context: Context) async throws -> Benchmark {
    let templates = try await Templates(
      context,
      ItemGenerator.small(context.scaled(200_000)),
      isIndexed: true
    )
    let cities = (0..<queryCount).map { Item.city($0 * 5) }
    let store = try await VarveItems(templates.varve).store
    let raw = try RawItems(templates.plain)
    let records = try RecordItems(templates.plain)
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: queryCount) {
          try await seconds {
            for city in cities {
              try found(await store.fetch(StockItem.where { $0.city == city }))
            }
          }
        },
        .init(name: Contestants.raw, count: queryCount) {
          try await seconds { for city in cities { try found(raw.fetch(city: city)) } }
        },
        .init(name: Contestants.records, count: queryCount) {
          try await seconds {
            for city in cities {
              try found(
                await records.pool.read {
                  try ItemRecord.filter(Column("city") == city).fetchAll($0)
                }
              )
            }
          }
        },
      ],
      comparisons: [
        .rate(name, to: Contestants.raw, Bars.indexedFilterToRaw),
        .rate(name, to: Contestants.records, nil),
      ]
    )
  }

  @inline(never)
  private static func found<Found>(_ items: [Found]) throws {
    guard !items.isEmpty else { throw RawError(description: "a city is missing") }
  }
}
