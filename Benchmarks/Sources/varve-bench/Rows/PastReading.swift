import Foundation
import VarveCore
import VarveStore

/// Past states of a store in which 50,000 values were written since, a commit each.
enum PastReading {
  static let valueName = "past, one old value"
  static let pageName = "past, page of 50"
  private static let pageSize = 50
  private static let callCount = 20
  private static let stepCount = 100
  /// How many entities change between two steps.
  private static let changesPerStep = 10

  /// A store, and dates to come back to.
  private struct Template {
    let path: String
    let items: [Item]
    /// Before all changes.
    let start: Date
    /// In the middle of the changes, a few changes apart.
    let steps: [Date]
  }

  /// One old value of one entity, from a store just opened.
  static func value(_ context: Context) async throws -> Benchmark {
    let template = try await template(context, entityCount: 10_000)
    let (old, history) = ("as of then", "its history")
    return Benchmark(
      name: valueName,
      contestants: [
        .init(name: old) {
          try await cold(template) { store, item in
            guard try await store.asOf(template.start).entity(item.id)?["count"] != nil else {
              throw RawError(description: "an old value is missing")
            }
          }
        },
        .init(name: history) {
          try await cold(template) { store, item in
            guard try await !store.history(of: item.id).isEmpty else {
              throw RawError(description: "a history is missing")
            }
          }
        },
      ],
      comparisons: [cost(valueName, of: old, to: history, Bars.oldValueToHistory)]
    )
  }

  /// The first page in the order of creation: at first, and from step to step.
  static func page(_ context: Context) async throws -> Benchmark {
    let template = try await template(context, entityCount: 100_000)
    let (first, step, now) = ("at first", "a step further", "now")
    return Benchmark(
      name: pageName,
      contestants: [
        .init(name: first) {
          var times: [Double] = []
          for _ in 0..<callCount {
            let store = try await VarveItems(template.path).store
            try await readPage(store)
            times.append(try await seconds { try await readPage(store.asOf(template.start)) })
            try await store.close()
          }
          return Sample(times).median
        },
        .init(name: step) {
          let store = try await VarveItems(template.path).store
          try await readPage(store.asOf(template.steps[0]))
          let time = try await seconds {
            for date in template.steps { try await readPage(store.asOf(date)) }
          }
          try await store.close()
          return time / Double(stepCount)
        },
        .init(name: now) {
          let store = try await VarveItems(template.path).store
          try await readPage(store)
          let time = try await seconds {
            for _ in 0..<stepCount { try await readPage(store) }
          }
          try await store.close()
          return time / Double(stepCount)
        },
      ],
      comparisons: [
        cost(pageName + ", first", of: first, to: now, Bars.pastPageToPresent),
        cost(pageName + ", a step", of: step, to: now, Bars.pastStepToPresent),
      ]
    )
  }

  private static func cost(
    _ name: String,
    of subject: String,
    to anchor: String,
    _ bar: Bar?
  ) -> Benchmark.Comparison {
    Benchmark.Comparison(name: name, subject: subject, anchor: anchor, kind: .cost, bar: bar)
  }

  private static func readPage(_ state: some Reading) async throws {
    let page = try await state.fetch(Query(VarveItems.type).limit(pageSize))
    guard page.count == pageSize else { throw RawError(description: "a page is not full") }
  }

  /// Returns the median time of reading some items, each from a store just opened.
  private static func cold(
    _ template: Template,
    _ read: (Store, Item) async throws -> Void
  ) async throws -> Double {
    var times: [Double] = []
    for call in 1...callCount {
      let store = try await VarveItems(template.path).store
      _ = try await store.entity(template.items[0].id)
      let item = template.items[call * (template.items.count / (callCount + 1))]
      times.append(try await seconds { try await read(store, item) })
      try await store.close()
    }
    return Sample(times).median
  }

  private static func template(_ context: Context, entityCount: Int) async throws -> Template {
    let items = ItemGenerator.small(context.scaled(entityCount))
    let path = context.workspace.freshPath("varve")
    let database = try await VarveItems(path)
    try await database.insert(items)
    let start = try await instant()
    var random = SeededGenerator(state: 7)
    var steps: [Date] = []
    let count = context.scaled(50_000)
    let first = count / 2
    for (number, index) in random.indices(count, below: items.count).enumerated() {
      let (distance, rest) = (number - first).quotientAndRemainder(dividingBy: changesPerStep)
      if rest == 0, (0..<stepCount).contains(distance) { steps.append(try await instant()) }
      try await database.store.set(items[index].id, "price", .double(Double(number)))
    }
    try await database.store.close()
    return Template(path: path, items: items, start: start, steps: steps)
  }

  /// Returns a date that no commit shares its millisecond with.
  private static func instant() async throws -> Date {
    try await Task.sleep(for: .milliseconds(2))
    let date = Date()
    try await Task.sleep(for: .milliseconds(2))
    return date
  }
}
