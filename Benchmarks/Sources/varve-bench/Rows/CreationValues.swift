import Foundation
import VarveCore
import VarveStore

/// A value that an entity was created with and that was replaced later, so that only a block of the
/// creation has it.
///
/// A cold run opens the database again and reads one history. Before that it reads the creation of
/// an entity in another block, which prepares what all reads share (schema, statements, catalogue).
/// A hot run reads the histories of a hundred entities in turn, which are spread over all blocks.
enum CreationValues {
  static let name = "value given at a creation"
  private static let callCount = 20
  private static let hotRounds = 10
  private static let findCount = 2_000
  private static let targetCount = 100
  /// The number of items of about 100 bytes that a block of a creation holds.
  private static let itemsPerBlock = 238
  private static let replacement = -1

  /// A store in which the counts of some items were replaced.
  private struct Template {
    let path: String
    /// The items whose values were replaced, in order of creation.
    let targets: [Item]
  }

  static func make(_ context: Context) async throws -> Benchmark {
    let counts = [10, 1_000]
    let items = ItemGenerator.small(context.scaled(counts[1]) * itemsPerBlock)
    var contestants: [Benchmark.Contestant] = []
    var comparisons: [Benchmark.Comparison] = []
    for count in counts {
      let part = Array(items.prefix(context.scaled(count) * itemsPerBlock))
      let template = try await template(context, part)
      contestants.append(.init(name: cold(count)) { try await readCold(template) })
      contestants.append(.init(name: hot(count)) { try await readHot(template) })
      comparisons.append(cost(name, cold(count)))
      comparisons.append(cost(name + ", hot", hot(count)))
    }
    let few = Array(items.prefix(20_000))
    let raw = try RawItems(try await Templates(context, few).plain)
    contestants.append(.init(name: find) { try await find(raw, few) })
    return Benchmark(name: name, contestants: contestants, comparisons: comparisons)
  }

  private static let find = "one raw find"

  private static func cold(_ count: Int) -> String { "in one of \(count) blocks" }

  private static func hot(_ count: Int) -> String { "hot, in one of \(count) blocks" }

  private static func cost(_ name: String, _ subject: String) -> Benchmark.Comparison {
    Benchmark.Comparison(
      name: name,
      subject: subject,
      anchor: find,
      kind: .cost,
      bar: Bars.creationValueToFind
    )
  }

  private static func template(_ context: Context, _ items: [Item]) async throws -> Template {
    let path = context.workspace.freshPath("varve")
    let database = try await VarveItems(path)
    try await database.insert(items)
    let targets = (0..<targetCount).map { items[$0 * items.count / targetCount] }
    try await database.store.write { transaction in
      for item in targets {
        try await transaction.set(item.id, "count", .int(Int64(replacement)))
      }
    }
    try await database.store.close()
    return Template(path: path, targets: targets)
  }

  /// Returns the median time of reading some targets, each from a store just opened.
  private static func readCold(_ template: Template) async throws -> Double {
    var times: [Double] = []
    for call in 1...callCount {
      let store = try await VarveItems(template.path).store
      _ = try await store.entity(template.targets[0].id)
      try await read(store, template.targets[0])
      let target = template.targets[call * (targetCount / callCount) - 1]
      times.append(try await seconds { try await read(store, target) })
      try await store.close()
    }
    return Sample(times).median
  }

  private static func readHot(_ template: Template) async throws -> Double {
    let store = try await VarveItems(template.path).store
    for target in template.targets { try await read(store, target) }
    let time = try await seconds {
      for _ in 0..<hotRounds {
        for target in template.targets { try await read(store, target) }
      }
    }
    try await store.close()
    return time / Double(hotRounds * targetCount)
  }

  private static func read(_ store: Store, _ item: Item) async throws {
    let values = try await store.history(of: item.id, "count").map(\.value)
    guard values == [.int(Int64(replacement)), .int(Int64(item.count))] else {
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
