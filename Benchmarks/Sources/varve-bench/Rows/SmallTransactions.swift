import GRDB
import VarveCore
import VarveStore

/// Transactions of one entity each.
enum SmallTransactions {
  static let name = "transactions of one entity"

  static func make(_ context: Context) -> Benchmark {
    let items = ItemGenerator.small(context.scaled(2_000))
    let count = items.count
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: count) { try await varve(context, items, $0) },
        .init(name: Contestants.raw, count: count) { try await raw(context, items, $0) },
        .init(name: Contestants.records, count: count) { try await records(context, items, $0) },
        .init(name: Contestants.handwritten, count: count) {
          try await handwritten(context, items, $0) { try $0.insert([$1]) }
        },
        .init(name: Contestants.statements, count: count) {
          try await handwritten(context, items, $0) { try $0.insertByStatement([$1]) }
        },
        .init(name: Contestants.rowPerValue, count: count) {
          try await rowPerValue(context, items, $0)
        },
      ],
      comparisons: .ratesOfWriting(name, toRaw: Bars.smallTransactionsToRaw)
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
    let time = try await seconds {
      for item in items {
        try await database.store.create(
          VarveItems.type,
          id: item.id,
          VarveItems.properties(item)
        )
      }
    }
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
    let time = try await seconds {
      let begin = try database.database.prepare("BEGIN IMMEDIATE")
      let commit = try database.database.prepare("COMMIT")
      for item in items {
        try run(begin)
        try database.insert(item)
        try run(commit)
      }
    }
    try database.prove(evidence)
    return time
  }

  private static func run(_ statement: RawStatement) throws {
    _ = try statement.step()
    statement.reset()
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
      for record in records {
        try await database.pool.write { try record.insert($0) }
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
    _ insert: (HandwrittenItems, ItemRow) throws -> Void
  ) async throws -> Double {
    let path = context.workspace.freshPath()
    defer { context.workspace.discard(path) }
    let database = try HandwrittenItems(path)
    let rows = items.map { ItemRow($0) }
    let time = try await seconds { for row in rows { try insert(database, row) } }
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
    let time = try await seconds {
      for item in items { try database.transaction { try database.insert(item) } }
    }
    try database.prove(evidence)
    return time
  }
}
