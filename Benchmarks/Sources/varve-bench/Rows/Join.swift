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
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: queryCount) {
          try await seconds {
            for region in regions {
              let query = StockItem.all.join(Supplier.self, on: \.id, equals: \.supplier)
                .where(joined: Supplier.self) { $0.region == region }
              try found(await store.fetch(query))
            }
          }
        },
        .init(name: Contestants.raw, count: queryCount) {
          try await seconds {
            for region in regions { try found(raw.items(ofRegion: region)) }
          }
        },
      ],
      comparisons: [.rate(name, to: Contestants.raw, Bars.joinToRaw)]
    )
  }

  @inline(never)
  private static func found<Found>(_ items: [Found]) throws {
    guard !items.isEmpty else { throw RawError(description: "a region is empty") }
  }
}
