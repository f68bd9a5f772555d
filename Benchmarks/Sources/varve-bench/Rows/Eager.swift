import VarveCore
import VarveStore

/// 10,000 suppliers with ten items each: two queries, however many there are.
enum Eager {
  static let name = "load 10,000 × 10 along"

  static func make(_ context: Context) async throws -> Benchmark {
    let count = context.scaled(10_000)
    let templates = try await StockTemplates(
      context,
      supplierCount: count,
      itemCount: context.scaled(100_000)
    )
    let store = try await Store.open(templates.varve)
    let raw = try RawStock(templates.plain)
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: count) {
          try await seconds {
            let suppliers = try await store.fetch(Supplier.all.with(\.items))
            guard suppliers.allSatisfy({ $0.items.loaded?.isEmpty == false }) else {
              throw RawError(description: "an item is missing")
            }
          }
        },
        .init(name: Contestants.raw, count: count) {
          try await seconds {
            guard try raw.suppliersWithItems().allSatisfy({ !$0.items.isEmpty }) else {
              throw RawError(description: "an item is missing")
            }
          }
        },
      ],
      comparisons: [.rate(name, to: Contestants.raw, Bars.eagerToRaw)]
    )
  }
}
