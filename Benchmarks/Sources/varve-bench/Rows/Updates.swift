import GRDB
import VarveCore
import VarveStore

/// Single properties of random entities, a thousand a transaction.
enum Updates {
  static let name = "single-property updates"
  private static let transactionSize = 1_000

  static func make(_ context: Context) async throws -> Benchmark {
    let templates = try await Templates(
      context,
      ItemGenerator.small(context.scaled(200_000)),
      hasRowPerValue: true
    )
    var random = SeededGenerator(state: 3)
    let count = context.scaled(100_000)
    let indices = random.indices(count, below: templates.items.count)
    let batches = stride(from: 0, to: count, by: transactionSize).map {
      Array(indices[$0..<min($0 + transactionSize, count)])
    }
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: count) {
          try await varve(context, templates, batches, $0)
        },
        .init(name: Contestants.raw, count: count) {
          try await raw(context, templates, batches, $0)
        },
        .init(name: Contestants.records, count: count) {
          try await records(context, templates, batches, $0)
        },
        .init(name: Contestants.handwritten, count: count) {
          try await handwritten(context, templates, batches, $0) { try $0.updateCounts($1) }
        },
        .init(name: Contestants.statements, count: count) {
          try await handwritten(context, templates, batches, $0) {
            try $0.updateCountsByStatement($1)
          }
        },
        .init(name: Contestants.rowPerValue, count: count) {
          try await rowPerValue(context, templates, batches, $0)
        },
      ],
      comparisons: .ratesOfWriting(
        name,
        toRaw: Bars.updatesToRaw,
        toRecords: Bars.updatesToRecords
      )
    )
  }

  private static func varve(
    _ context: Context,
    _ templates: Templates,
    _ batches: [[Int]],
    _ evidence: Evidence
  ) async throws -> Double {
    let path = try context.workspace.copy(of: templates.varve)
    defer { context.workspace.discard(path) }
    let database = try await VarveItems(path)
    let (store, items) = (database.store, templates.items)
    let time = try await seconds {
      for batch in batches {
        try await store.write { transaction in
          for index in batch {
            try await transaction.set(items[index].id, "count", .int(Int64(index &* 7)))
          }
        }
      }
    }
    try await database.prove(evidence)
    try await store.close()
    return time
  }

  private static func raw(
    _ context: Context,
    _ templates: Templates,
    _ batches: [[Int]],
    _ evidence: Evidence
  ) async throws -> Double {
    let path = try context.workspace.copy(of: templates.plain)
    defer { context.workspace.discard(path) }
    let database = try RawItems(path)
    let time = try await seconds {
      for batch in batches {
        try database.database.transaction {
          for index in batch {
            try database.setCount(index &* 7, of: templates.items[index].textID)
          }
        }
      }
    }
    try database.prove(evidence)
    return time
  }

  private static func records(
    _ context: Context,
    _ templates: Templates,
    _ batches: [[Int]],
    _ evidence: Evidence
  ) async throws -> Double {
    let path = try context.workspace.copy(of: templates.plain)
    defer { context.workspace.discard(path) }
    let database = try RecordItems(path)
    let changed = batches.map { batch in
      batch.map { index in
        var record = ItemRecord(templates.items[index])
        record.count = index &* 7
        return record
      }
    }
    let time = try await seconds {
      for batch in changed {
        try await database.pool.write { database in
          for record in batch { try record.update(database) }
        }
      }
    }
    try await database.prove(evidence)
    try database.pool.close()
    return time
  }

  private static func handwritten(
    _ context: Context,
    _ templates: Templates,
    _ batches: [[Int]],
    _ evidence: Evidence,
    _ update: (HandwrittenItems, [ItemRow]) throws -> Void
  ) async throws -> Double {
    let path = try context.workspace.copy(of: templates.plain)
    defer { context.workspace.discard(path) }
    let database = try HandwrittenItems(path)
    let changed = batches.map { batch in
      batch.map { index in
        var row = ItemRow(templates.items[index])
        row.count = index &* 7
        return row
      }
    }
    let time = try await seconds { for batch in changed { try update(database, batch) } }
    try database.prove(evidence)
    try database.pool.close()
    return time
  }

  private static func rowPerValue(
    _ context: Context,
    _ templates: Templates,
    _ batches: [[Int]],
    _ evidence: Evidence
  ) async throws -> Double {
    let path = try context.workspace.copy(of: templates.rowPerValue)
    defer { context.workspace.discard(path) }
    let database = try RowPerValue(path)
    let time = try await seconds {
      for batch in batches {
        try database.transaction {
          for index in batch {
            try database.add("count", Int64(index &* 7), to: templates.items[index].textID)
          }
        }
      }
    }
    try database.prove(evidence)
    return time
  }
}
