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
      isIndexed: true,
      hasRowPerValue: true
    )
    let cities = (0..<queryCount).map { Item.city($0 * 5) }
    let store = try await VarveItems(templates.varve).store
    let raw = try RawItems(templates.plain)
    let records = try RecordItems(templates.plain)
    let handwritten = try HandwrittenItems(templates.plain)
    let rowPerValue = try RowPerValueReading(RowPerValue(templates.rowPerValue))
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: queryCount) {
          try await ofEach(cities, $0) { city in
            try await store.fetch(StockItem.where { $0.city == city })
          }
        },
        .init(name: Contestants.raw, count: queryCount) {
          try await ofEach(cities, $0) { try raw.fetch(city: $0) }
        },
        .init(name: Contestants.records, count: queryCount) {
          try await ofEach(cities, $0) { city in
            try await records.pool.read {
              try ItemRecord.filter(Column("city") == city).fetchAll($0)
            }
          }
        },
        .init(name: Contestants.handwritten, count: queryCount) {
          try await ofEach(cities, $0) { try handwritten.fetch(city: $0) }
        },
        .init(name: Contestants.rowPerValue, count: queryCount) {
          try await ofEach(cities, $0) { try rowPerValue.fetch(city: $0) }
        },
      ],
      comparisons: .rates(name, toRaw: Bars.indexedFilterToRaw)
    )
  }
}
