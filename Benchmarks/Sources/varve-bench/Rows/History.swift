import VarveCore
import VarveStore

/// The latest ten values of a property, after many updates of others.
///
/// Each value was written in a transaction of a thousand updates. A cold run opens the database
/// again, so that nothing is decoded yet, and reads one history. Reading another entity first
/// prepares what all reads share (schema, statements, catalogue).
enum History {
  static let name = "history, latest 10 values"
  private static let callCount = 20
  private static let hotCount = 200
  private static let findCount = 2_000

  static func make(_ context: Context) async throws -> Benchmark {
    let items = ItemGenerator.small(context.scaled(20_000))
    let counts = [1_000, 10_000, 50_000].map(context.scaled)
    var stores: [Int: String] = [:]
    for count in counts {
      stores[count] = try await HistoryTemplate(items, updates: count).varve(context)
    }
    let bar = counts[1]
    let store = stores[bar] ?? ""
    let rows = try HistoryTemplate(items, updates: bar).rowPerValue(context)
    let templates = try await Templates(context, items)
    let raw = try RawItems(templates.plain)
    let after = counts.map { count in
      Benchmark.Contestant(name: label(count)) { try await cold(stores[count] ?? "", items) }
    }
    return Benchmark(
      name: name,
      contestants: after + [
        .init(name: hot(bar)) { try await hot(store, items) },
        .init(name: rowsLabel(label(bar))) { try await coldRows(rows, items) },
        .init(name: rowsLabel(hot(bar))) { try await hotRows(rows, items) },
        .init(name: find) { try await find(raw, items) },
      ],
      comparisons: comparisons(counts)
    )
  }

  private static func comparisons(_ counts: [Int]) -> [Benchmark.Comparison] {
    let (few, bar, many) = (counts[0], counts[1], counts[2])
    return [
      cost(name, of: label(bar), to: find, Bars.historyToFind),
      cost(name, of: label(bar), to: rowsLabel(label(bar)), nil),
      cost(name + ", growth", of: label(many), to: label(few), Bars.historyGrowth),
      cost(name + ", hot", of: hot(bar), to: find, Bars.hotHistoryToFind),
      cost(name + ", hot", of: hot(bar), to: rowsLabel(hot(bar)), nil),
    ]
  }

  private static func cost(
    _ name: String,
    of subject: String,
    to anchor: String,
    _ bar: Bar?
  ) -> Benchmark.Comparison {
    Benchmark.Comparison(name: name, subject: subject, anchor: anchor, kind: .cost, bar: bar)
  }

  private static let find = "one raw find"

  private static func label(_ count: Int) -> String { "after \(count) others" }

  private static func hot(_ count: Int) -> String { "hot, after \(count)" }

  private static func rowsLabel(_ label: String) -> String {
    "\(Contestants.rowPerValue), \(label)"
  }

  /// Returns the items whose histories cold runs read, each once.
  private static func targets(_ items: [Item]) -> [Item] {
    (1...callCount).map { call in
      HistoryTemplate.target(call * (HistoryTemplate.targetCount / callCount) - 1, items)
    }
  }

  private static func cold(_ path: String, _ items: [Item]) async throws -> Double {
    var times: [Double] = []
    for target in targets(items) {
      let store = try await VarveItems(path).store
      _ = try await store.entity(items[1].id)
      _ = try await store.history(of: items[1].id, "note", limit: 10)
      var versions: [Version] = []
      times.append(try await seconds { versions = try await read(store, target.id) })
      try check(versions.map(\.value))
      try await store.close()
    }
    return Sample(times).median
  }

  private static func coldRows(_ path: String, _ items: [Item]) async throws -> Double {
    var times: [Double] = []
    for target in targets(items) {
      let rows = try RowPerValueReading(RowPerValue(path))
      _ = try rows.find(items[1].textID)
      _ = try rows.history(of: items[1].textID, "note", limit: 10)
      var versions: [RowPerValueReading.Version] = []
      times.append(try await seconds { versions = try read(rows, target.textID) })
      try check(versions.map { .int($0.value) })
    }
    return Sample(times).median
  }

  private static func hot(_ path: String, _ items: [Item]) async throws -> Double {
    let store = try await VarveItems(path).store
    let id = HistoryTemplate.target(7, items).id
    try check(try await read(store, id).map(\.value))
    let time = try await seconds {
      for _ in 0..<hotCount { _ = try await read(store, id) }
    }
    try await store.close()
    return time / Double(hotCount)
  }

  private static func hotRows(_ path: String, _ items: [Item]) async throws -> Double {
    let rows = try RowPerValueReading(RowPerValue(path))
    let id = HistoryTemplate.target(7, items).textID
    try check(try read(rows, id).map { .int($0.value) })
    return try await seconds { for _ in 0..<hotCount { _ = try read(rows, id) } }
      / Double(hotCount)
  }

  private static func read(_ store: Store, _ id: EntityID) async throws -> [Version] {
    try await store.history(of: id, "count", limit: HistoryTemplate.rounds)
  }

  private static func read(
    _ rows: RowPerValueReading,
    _ id: String
  ) throws -> [RowPerValueReading.Version] {
    try rows.history(of: id, "count", limit: HistoryTemplate.rounds)
  }

  /// Checks that the values are those that were written, newest first.
  private static func check(_ values: [Value?]) throws {
    guard values == (0..<HistoryTemplate.rounds).reversed().map({ .int(Int64($0)) }) else {
      throw RawError(description: "the history differs from the written values: \(values)")
    }
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
