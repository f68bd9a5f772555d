import GRDB
import VarveCore
import VarveStore

/// Items of one supplier in a hundred, by a join over the reference.
enum Join {
  static let name = "join over a reference, 1%"
  private static let queryCount = 20

  static func make(_ context: Context) async throws -> Benchmark {
    let templates = try await StockTemplates(
      context,
      supplierCount: context.scaled(20_000),
      itemCount: context.scaled(200_000)
    )
    let regions = (0..<queryCount).map { $0 * 5 }
    let store = try await Store.open(templates.varve)
    let raw = try RawStock(templates.plain)
    let records = try RecordItems(templates.plain)
    let handwritten = try HandwrittenItems(templates.plain)
    let rowPerValue = try RowPerValueReading(RowPerValue(templates.rowPerValue))
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: queryCount) {
          try await ofEach(regions, $0) { region in
            let query = StockItem.all.join(Supplier.self, on: \.id, equals: \.supplier)
              .where(joined: Supplier.self) { $0.region == region }
            return try await store.fetch(query)
          }
        },
        .init(name: Contestants.raw, count: queryCount) {
          try await ofEach(regions, $0) { try raw.items(ofRegion: $0) }
        },
        .init(name: Contestants.records, count: queryCount) {
          try await ofEach(regions, $0) { region in
            try await records.pool.read { try ItemRecord.ofRegion(region).fetchAll($0) }
          }
        },
        .init(name: Contestants.handwritten, count: queryCount) {
          try await ofEach(regions, $0) { try handwritten.items(ofRegion: $0) }
        },
        .init(name: Contestants.rowPerValue, count: queryCount) {
          try await ofEach(regions, $0) { try rowPerValue.items(ofRegion: $0) }
        },
      ],
      comparisons: .rates(name, toRaw: Bars.joinToRaw)
    )
  }
}
