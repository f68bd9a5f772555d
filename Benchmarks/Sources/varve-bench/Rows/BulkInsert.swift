import GRDB
import VarveStore

/// Many entities in one transaction.
enum BulkInsert {
  static let smallName = "insert, 100 bytes an entity"
  static let typedName = "insert of structs"
  private static let dynamic = "Varve, dynamic"
  static let wideName = "insert, 650 bytes an entity"

  /// Models saved, against the same values written without a model.
  static func typed(_ context: Context) -> Benchmark {
    let items = ItemGenerator.small(context.scaled(200_000))
    return Benchmark(
      name: typedName,
      contestants: [
        .init(name: Contestants.varve, count: items.count) {
          let models = items.map { StockItem($0) }
          let path = context.workspace.freshPath("varve")
          defer { context.workspace.discard(path) }
          let store = try await VarveItems(path).store
          let time = try await seconds { try await store.save(models) }
          try await store.close()
          return time
        },
        .init(name: dynamic, count: items.count) { try await varve(context, items) },
      ],
      comparisons: [.rate(typedName, to: dynamic, Bars.typedInsertToDynamic)]
    )
  }

  static func small(_ context: Context) -> Benchmark {
    make(
      smallName,
      context,
      ItemGenerator.small(context.scaled(200_000)),
      toRaw: Bars.bulkInsertToRaw,
      toRecords: Bars.bulkInsertToRecords
    )
  }

  static func wide(_ context: Context) -> Benchmark {
    make(
      wideName,
      context,
      ItemGenerator.wide(context.scaled(40_000)),
      toRaw: Bars.wideInsertToRaw,
      toRecords: nil
    )
  }

  private static func make(
    _ name: String,
    _ context: Context,
    _ items: [Item],
    toRaw: Bar?,
    toRecords: Bar?
  ) -> Benchmark {
    Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: items.count) { try await varve(context, items) },
        .init(name: Contestants.raw, count: items.count) { try await raw(context, items) },
        .init(name: Contestants.records, count: items.count) { try await records(context, items) },
      ],
      comparisons: [
        .rate(name, to: Contestants.raw, toRaw), .rate(name, to: Contestants.records, toRecords),
      ]
    )
  }

  private static func varve(_ context: Context, _ items: [Item]) async throws -> Double {
    let path = context.workspace.freshPath("varve")
    defer { context.workspace.discard(path) }
    let database = try await VarveItems(path)
    let time = try await seconds { try await database.insert(items) }
    try await database.store.close()
    return time
  }

  private static func raw(_ context: Context, _ items: [Item]) async throws -> Double {
    let path = context.workspace.freshPath()
    defer { context.workspace.discard(path) }
    let database = try RawItems(path)
    return try await seconds { try database.insert(items) }
  }

  private static func records(_ context: Context, _ items: [Item]) async throws -> Double {
    let path = context.workspace.freshPath()
    defer { context.workspace.discard(path) }
    let database = try RecordItems(path)
    let records = items.map { ItemRecord($0) }
    let time = try await seconds {
      try await database.pool.write { database in
        for record in records { try record.insert(database) }
      }
    }
    try database.pool.close()
    return time
  }
}
