import VarveCore
import VarveStore

/// Databases in which a hundred targets got ten values each, and others many after them, a thousand
/// a transaction.
struct HistoryTemplate {
  static let rounds = 10
  static let targetCount = 100
  private static let transactionSize = 1_000

  private let items: [Item]
  private let batches: [Batch]

  /// One transaction: a value of some items.
  private struct Batch {
    let indices: [Int]
    let value: Written
  }

  private enum Written {
    case count(Int)
    case price(Double)
  }

  init(_ items: [Item], updates: Int) {
    self.items = items
    var random = SeededGenerator(state: 5)
    var batches: [Batch] = []
    for round in 0..<Self.rounds {
      var chosen = random.indices(Self.transactionSize - Self.targetCount, below: items.count)
      for number in 0..<Self.targetCount {
        let place = number * Self.transactionSize / Self.targetCount
        chosen.insert(Self.position(of: number, items), at: place)
      }
      batches.append(Batch(indices: chosen, value: .count(round)))
    }
    for start in stride(from: 0, to: updates, by: Self.transactionSize) {
      let count = min(Self.transactionSize, updates - start)
      let chosen = random.indices(count, below: items.count)
      batches.append(Batch(indices: chosen, value: .price(Double(start))))
    }
    self.batches = batches
  }

  /// Returns the position of a target. Targets are spread among the items; the first is never
  /// measured.
  private static func position(of target: Int, _ items: [Item]) -> Int {
    target * (items.count / (targetCount + 1))
  }

  static func target(_ number: Int, _ items: [Item]) -> Item { items[position(of: number, items)] }

  func varve(_ context: Context) async throws -> String {
    let path = context.workspace.freshPath("varve")
    let database = try await VarveItems(path)
    try await database.insert(items)
    for batch in batches {
      let (key, value): (PropertyKey, Value) =
        switch batch.value {
        case .count(let count): ("count", .int(Int64(count)))
        case .price(let price): ("price", .double(price))
        }
      try await database.store.write { transaction in
        for index in batch.indices { try await transaction.set(items[index].id, key, value) }
      }
    }
    try await database.store.close()
    return path
  }

  func rowPerValue(_ context: Context) throws -> String {
    let path = context.workspace.freshPath()
    let database = try RowPerValue(path)
    try database.insert(items)
    for batch in batches {
      try database.transaction {
        for index in batch.indices {
          switch batch.value {
          case .count(let count):
            try database.add("count", Int64(count), to: items[index].textID)
          case .price(let price): try database.add("price", price, to: items[index].textID)
          }
        }
      }
    }
    try database.database.checkpoint()
    return path
  }
}
