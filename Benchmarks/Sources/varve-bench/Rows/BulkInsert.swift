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
        .init(name: Contestants.varve, count: items.count) { evidence in
          let models = items.map { StockItem($0) }
          let path = context.workspace.freshPath("varve")
          defer { context.workspace.discard(path) }
          let store = try await VarveItems(path).store
          let time = try await seconds { try await store.save(models) }
          if evidence.isWanted { try await evidence.take(store.fetch(StockItem.all)) }
          try await store.close()
          return time
        },
        .init(name: dynamic, count: items.count) { try await varve(context, items, $0) },
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
    let count = items.count
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: count) { try await varve(context, items, $0) },
        .init(name: Contestants.raw, count: count) { try await raw(context, items, $0) },
        .init(name: Contestants.records, count: count) { try await records(context, items, $0) },
        .init(name: Contestants.handwritten, count: count) {
          try await handwritten(context, items, $0) { try $0.insert($1) }
        },
        .init(name: Contestants.statements, count: count) {
          try await handwritten(context, items, $0) { try $0.insertByStatement($1) }
        },
        .init(name: Contestants.rowPerValue, count: count) {
          try await rowPerValue(context, items, $0)
        },
      ],
      comparisons: .ratesOfWriting(name, toRaw: toRaw, toRecords: toRecords)
    )
  }

  private static func varve(
    _ context: Context,
    _ items: [Item],
    _ evidence: Evidence
  ) async throws -> Double {
    let path = context.workspace.freshPath("varve")
    defer { context.workspace.discard(path) }
    let database = try await VarveItems(path)
    let time = try await seconds { try await database.insert(items) }
    try await database.prove(evidence)
    try await database.store.close()
    return time
  }

  private static func raw(
    _ context: Context,
    _ items: [Item],
    _ evidence: Evidence
  ) async throws -> Double {
    let path = context.workspace.freshPath()
    defer { context.workspace.discard(path) }
    let database = try RawItems(path)
    let time = try await seconds { try database.insert(items) }
    try database.prove(evidence)
    return time
  }

  private static func records(
    _ context: Context,
    _ items: [Item],
    _ evidence: Evidence
  ) async throws -> Double {
    let path = context.workspace.freshPath()
    defer { context.workspace.discard(path) }
    let database = try RecordItems(path)
    let records = items.map { ItemRecord($0) }
    let time = try await seconds {
      try await database.pool.write { database in
        for record in records { try record.insert(database) }
      }
    }
    try await database.prove(evidence)
    try database.pool.close()
    return time
  }

  private static func handwritten(
    _ context: Context,
    _ items: [Item],
    _ evidence: Evidence,
    _ insert: (HandwrittenItems, [ItemRow]) throws -> Void
  ) async throws -> Double {
    let path = context.workspace.freshPath()
    defer { context.workspace.discard(path) }
    let database = try HandwrittenItems(path)
    let rows = items.map { ItemRow($0) }
    let time = try await seconds { try insert(database, rows) }
    try database.prove(evidence)
    try database.pool.close()
    return time
  }

  private static func rowPerValue(
    _ context: Context,
    _ items: [Item],
    _ evidence: Evidence
  ) async throws -> Double {
    let path = context.workspace.freshPath()
    defer { context.workspace.discard(path) }
    let database = try RowPerValue(path)
    let time = try await seconds { try database.insert(items) }
    try database.prove(evidence)
    return time
  }
}
