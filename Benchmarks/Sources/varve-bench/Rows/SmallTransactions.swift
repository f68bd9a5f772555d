import GRDB
import VarveCore
import VarveStore

/// Transactions of one entity each.
enum SmallTransactions {
  static let name = "transactions of one entity"

  static func make(_ context: Context) -> Benchmark {
    let items = ItemGenerator.small(context.scaled(2_000))
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: items.count) { try await varve(context, items) },
        .init(name: Contestants.raw, count: items.count) { try await raw(context, items) },
        .init(name: Contestants.records, count: items.count) { try await records(context, items) },
      ],
      comparisons: [
        .rate(name, to: Contestants.raw, Bars.smallTransactionsToRaw),
        .rate(name, to: Contestants.records, nil),
      ]
    )
  }

  private static func varve(_ context: Context, _ items: [Item]) async throws -> Double {
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
    try await database.store.close()
    return time
  }

  private static func raw(_ context: Context, _ items: [Item]) async throws -> Double {
    let path = context.workspace.freshPath()
    defer { context.workspace.discard(path) }
    let database = try RawItems(path)
    return try await seconds {
      let begin = try database.database.prepare("BEGIN IMMEDIATE")
      let commit = try database.database.prepare("COMMIT")
      for item in items {
        try run(begin)
        try database.insert(item)
        try run(commit)
      }
    }
  }

  private static func run(_ statement: RawStatement) throws {
    _ = try statement.step()
    statement.reset()
  }

  private static func records(_ context: Context, _ items: [Item]) async throws -> Double {
    let path = context.workspace.freshPath()
    defer { context.workspace.discard(path) }
    let database = try RecordItems(path)
    let records = items.map { ItemRecord($0) }
    let time = try await seconds {
      for record in records {
        try await database.pool.write { try record.insert($0) }
      }
    }
    try database.pool.close()
    return time
  }
}
