import VarveCore
import VarveStore

/// The latest ten values of a property, after many updates of others.
///
/// Each value was written in a transaction of a thousand updates. A run opens the store anew, so
/// that no block is decoded yet, and reads one history; what is shared by all reads (schema,
/// statements, catalogue) is made ready by reading another entity first.
enum History {
  static let name = "history, latest 10 values"
  private static let rounds = 10
  private static let targetCount = 100
  private static let transactionSize = 1_000
  private static let callCount = 20
  private static let findCount = 2_000

  static func make(_ context: Context) async throws -> Benchmark {
    let items = ItemGenerator.small(context.scaled(20_000))
    let counts = [1_000, 10_000, 50_000].map(context.scaled)
    var stores: [Int: String] = [:]
    for count in counts { stores[count] = try await prepare(context, items, updates: count) }
    let templates = try await Templates(context, items)
    let raw = try RawItems(templates.plain)
    let find = "one raw find"
    let after = counts.map { count in
      Benchmark.Contestant(name: label(count)) {
        try await cold(context, stores[count] ?? "", items)
      }
    }
    return Benchmark(
      name: name,
      contestants: after + [
        .init(name: find) { try await self.find(raw, items) },
        .init(name: "hot, after \(counts[1])") {
          try await hot(stores[counts[1]] ?? "", items)
        },
      ],
      comparisons: [
        .init(
          name: name,
          subject: label(counts[1]),
          anchor: find,
          kind: .cost,
          bar: Bars.historyToFind
        ),
        .init(
          name: name + ", growth",
          subject: label(counts[2]),
          anchor: label(counts[0]),
          kind: .cost,
          bar: Bars.historyGrowth
        ),
        .init(
          name: name + ", hot",
          subject: "hot, after \(counts[1])",
          anchor: find,
          kind: .cost,
          bar: nil
        ),
      ]
    )
  }

  private static func label(_ count: Int) -> String { "after \(count) others" }

  /// Targets stand apart among the items; the first is never measured.
  private static func target(_ number: Int, _ items: [Item]) -> Item {
    items[number * (items.count / (targetCount + 1))]
  }

  private static func prepare(
    _ context: Context,
    _ items: [Item],
    updates: Int
  ) async throws -> String {
    let path = context.workspace.freshPath("varve")
    let store = try await VarveItems(path)
    try await store.insert(items)
    var random = SeededGenerator(state: 5)
    for round in 0..<rounds {
      var chosen = random.indices(transactionSize - targetCount, below: items.count)
        .map { items[$0].id }
      for number in 0..<targetCount {
        chosen.insert(target(number, items).id, at: number * transactionSize / targetCount)
      }
      try await set("count", of: chosen, to: round, store.store)
    }
    for start in stride(from: 0, to: updates, by: transactionSize) {
      let chosen = random.indices(min(transactionSize, updates - start), below: items.count)
      try await set("price", of: chosen.map { items[$0].id }, to: start, store.store)
    }
    try await store.store.close()
    return path
  }

  private static func set(
    _ key: PropertyKey,
    of ids: [EntityID],
    to number: Int,
    _ store: Store
  ) async throws {
    try await store.write { transaction in
      for id in ids { try await transaction.set(id, key, .int(Int64(number))) }
    }
  }

  private static func cold(
    _ context: Context,
    _ path: String,
    _ items: [Item]
  ) async throws -> Double {
    var times: [Double] = []
    for call in 1...callCount {
      let store = try await VarveItems(path).store
      _ = try await store.entity(items[1].id)
      _ = try await store.history(of: items[1].id, "note", limit: 10)
      let id = target(call * (targetCount / callCount) - 1, items).id
      times.append(try await seconds { try await read(store, id) })
      try await store.close()
    }
    return Sample(times).median
  }

  private static func hot(_ path: String, _ items: [Item]) async throws -> Double {
    let store = try await VarveItems(path).store
    let id = target(7, items).id
    try await read(store, id)
    let time = try await seconds { for _ in 0..<200 { try await read(store, id) } }
    try await store.close()
    return time / 200
  }

  private static func read(_ store: Store, _ id: EntityID) async throws {
    let versions = try await store.history(of: id, "count", limit: 10)
    guard versions.count == 10 else { throw RawError(description: "history is missing") }
  }

  private static func find(_ raw: RawItems, _ items: [Item]) async throws -> Double {
    var random = SeededGenerator(state: 6)
    let ids = random.indices(findCount, below: items.count).map { items[$0].textID }
    let time = try await seconds {
      for id in ids {
        guard try raw.find(id) != nil else { throw RawError(description: "an item is missing") }
      }
    }
    return time / Double(findCount)
  }
}
