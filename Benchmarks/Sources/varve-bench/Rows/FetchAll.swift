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
      ItemGenerator.small(context.scaled(200_000)),
      hasRowPerValue: true
    )
    let count = templates.items.count
    let store = try await VarveItems(templates.varve).store
    let raw = try RawItems(templates.plain)
    let records = try RecordItems(templates.plain)
    let handwritten = try HandwrittenItems(templates.plain)
    let rowPerValue = try RowPerValueReading(RowPerValue(templates.rowPerValue))
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: count) {
          try await all($0) { try await store.fetch(StockItem.all) }
        },
        .init(name: dynamic, count: count) {
          try await all($0) { try await store.fetch(Query(VarveItems.type)) }
        },
        .init(name: Contestants.raw, count: count) { try await all($0) { try raw.fetchAll() } },
        .init(name: Contestants.records, count: count) {
          try await all($0) { try await records.pool.read { try ItemRecord.fetchAll($0) } }
        },
        .init(name: Contestants.handwritten, count: count) {
          try await all($0) { try handwritten.fetchAll() }
        },
        .init(name: Contestants.rowPerValue, count: count) {
          try await all($0) { try rowPerValue.fetchAll() }
        },
      ],
      comparisons: .rates(name, toRaw: Bars.fetchAllToRaw, toRecords: Bars.fetchAllToRecords)
    )
  }

  /// Returns the time of a fetch, and adds its result as evidence.
  private static func all<Found: HasPlainItem>(
    _ evidence: Evidence,
    _ fetch: () async throws -> [Found]
  ) async throws -> Double {
    // The fetched items are released within the measured time. If they were kept longer, large
    // arrays would leave the allocator in different states, and some contestants would take half as
    // long again.
    guard evidence.isWanted else { return try await seconds { _ = try await fetch() } }
    var items: [Found] = []
    let time = try await seconds { items = try await fetch() }
    try evidence.take(items)
    return time
  }
}
