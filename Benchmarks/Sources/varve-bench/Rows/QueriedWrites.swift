import VarveCore
import VarveStore

/// Writes to all entities of a query, half of those there are, in one transaction; and upserts.
enum QueriedWrites {
  static let updateName = "update of a query"
  static let eraseName = "erasure of a query"
  static let upsertName = "upserts, half of them new"
  private static let typed = "Varve, structs"
  private static let limit = 50_000

  static func update(_ context: Context) async throws -> Benchmark {
    let items = ItemGenerator.small(context.scaled(200_000))
    let templates = try await Templates(context, items)
    let count = items.count { $0.count < limit }
    return Benchmark(
      name: updateName,
      contestants: [
        .init(name: Contestants.varve, count: count) { evidence in
          try await varve(context, templates, evidence) {
            try await $0.update(query, ["count": 7])
          }
        },
        .init(name: typed, count: count) { evidence in
          try await varve(context, templates, evidence) { store in
            try await store.update(StockItem.where { $0.count < limit }) { $0.set(\.count, 7) }
          }
        },
        .init(name: Contestants.raw, count: count) { evidence in
          try await raw(
            context,
            templates,
            evidence,
            "UPDATE item SET count = 7 WHERE count < \(limit)"
          )
        },
      ],
      comparisons: [
        .rate(updateName, to: Contestants.raw, Bars.queriedUpdateToRaw),
        .init(
          name: "\(updateName), structs",
          subject: typed,
          anchor: Contestants.raw,
          kind: .rate,
          bar: nil
        ),
      ]
    )
  }

  static func erase(_ context: Context) async throws -> Benchmark {
    let items = ItemGenerator.small(context.scaled(200_000))
    let templates = try await Templates(context, items)
    let count = items.count { $0.count < limit }
    return Benchmark(
      name: eraseName,
      contestants: [
        .init(name: Contestants.varve, count: count) { evidence in
          try await varve(context, templates, evidence) { try await $0.erase(query) }
        },
        .init(name: Contestants.raw, count: count) { evidence in
          try await raw(context, templates, evidence, "DELETE FROM item WHERE count < \(limit)")
        },
      ],
      comparisons: [.rate(eraseName, to: Contestants.raw, nil)]
    )
  }

  static func upsert(_ context: Context) async throws -> Benchmark {
    let items = ItemGenerator.small(context.scaled(100_000))
    let templates = try await Templates(context, Array(items.prefix(items.count / 2)))
    return Benchmark(
      name: upsertName,
      contestants: [
        .init(name: Contestants.varve, count: items.count) { evidence in
          let path = try context.workspace.copy(of: templates.varve)
          defer { context.workspace.discard(path) }
          let database = try await VarveItems(path)
          try await database.store.addIndex(on: "created", of: VarveItems.type)
          let time = try await seconds {
            try await database.store.write { tx in
              for item in items {
                var properties = VarveItems.properties(item).mapValues(Optional.some)
                properties["count"] = .int(7)
                try await tx.upsert(VarveItems.type, on: ["created"], id: item.id, properties)
              }
            }
          }
          try await database.prove(evidence)
          try await database.store.close()
          return time
        },
        .init(name: Contestants.raw, count: items.count) { evidence in
          let path = try context.workspace.copy(of: templates.plain)
          defer { context.workspace.discard(path) }
          let database = try RawItems(path)
          try database.database.execute("CREATE UNIQUE INDEX item_created ON item (created)")
          let time = try await seconds {
            try database.database.transaction {
              for var item in items {
                item.count = 7
                try database.upsert(item)
              }
            }
          }
          try database.prove(evidence)
          return time
        },
      ],
      comparisons: [.rate(upsertName, to: Contestants.raw, nil)]
    )
  }

  private static let query = Query(VarveItems.type).where(Field("count") < .int(Int64(limit)))

  private static func varve<Result>(
    _ context: Context,
    _ templates: Templates,
    _ evidence: Evidence,
    _ write: (Store) async throws -> Result
  ) async throws -> Double {
    let path = try context.workspace.copy(of: templates.varve)
    defer { context.workspace.discard(path) }
    let database = try await VarveItems(path)
    let time = try await seconds { _ = try await write(database.store) }
    try await database.prove(evidence)
    try await database.store.close()
    return time
  }

  private static func raw(
    _ context: Context,
    _ templates: Templates,
    _ evidence: Evidence,
    _ sql: String
  ) async throws -> Double {
    let path = try context.workspace.copy(of: templates.plain)
    defer { context.workspace.discard(path) }
    let database = try RawItems(path)
    let time = try await seconds {
      try database.database.transaction { try database.database.execute(sql) }
    }
    try database.prove(evidence)
    return time
  }
}
