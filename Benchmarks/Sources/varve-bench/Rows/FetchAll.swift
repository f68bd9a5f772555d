import GRDB
import VarveCore
import VarveStore

/// Everything, into memory: structs against structs, and dynamic entities for information.
enum FetchAll {
  static let name = "fetch all as structs"
  private static let dynamic = "Varve, dynamic"

  static func make(_ context: Context) async throws -> Benchmark {
    let templates = try await Templates(
      context,
      ItemGenerator.small(context.scaled(200_000))
    )
    let count = templates.items.count
    let store = try await VarveItems(templates.varve).store
    let raw = try RawItems(templates.plain)
    let records = try RecordItems(templates.plain)
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: count) {
          try await seconds { try await store.fetch(StockItem.all) }
        },
        .init(name: dynamic, count: count) {
          try await seconds { try await store.fetch(Query(VarveItems.type)) }
        },
        .init(name: Contestants.raw, count: count) { try await seconds { try raw.fetchAll() } },
        .init(name: Contestants.records, count: count) {
          try await seconds { try await records.pool.read { try ItemRecord.fetchAll($0) } }
        },
      ],
      comparisons: [
        .rate(name, to: Contestants.raw, Bars.fetchAllToRaw),
        .rate(name, to: Contestants.records, Bars.fetchAllToRecords),
      ]
    )
  }
}
