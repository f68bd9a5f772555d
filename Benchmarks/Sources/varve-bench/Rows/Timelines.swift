import VarveCore
import VarveStore

/// A time bar over 100,000 commits.
enum Timelines {
  static let name = "timeline of 100,000 commits"
  private static let intervalCount = 100

  static func make(_ context: Context) async throws -> Benchmark {
    let path = context.workspace.freshPath("varve")
    let items = ItemGenerator.small(1_000)
    let database = try await VarveItems(path)
    try await database.insert(items)
    for number in 0..<context.scaled(100_000) {
      let id = items[number % items.count].id
      let author = number % 3 == 0 ? "ana" : "ben"
      try await database.store.as(author).set(id, "count", .int(Int64(number)))
    }
    try await database.store.close()
    let (bar, log) = ("of the store", "counted in the log")
    return Benchmark(
      name: name,
      contestants: [
        .init(name: bar) { try await time(path) { try await $0.timeline().total } },
        .init(name: "by author") {
          try await time(path) { try await $0.timeline(by: .author).total }
        },
        .init(name: "of a type") {
          try await time(path) { try await $0.timeline(of: .type(VarveItems.type)).total }
        },
        .init(name: "of an entity") {
          try await time(path) { try await $0.timeline(of: .entity(items[7].id)).total }
        },
        .init(name: log) { try await time(path) { try await $0.log().count } },
      ],
      comparisons: [
        .init(name: name, subject: bar, anchor: log, kind: .rate, bar: Bars.timelineToLog)
      ]
    )
  }

  private static func time(
    _ path: String,
    _ count: (Store) async throws -> Int
  ) async throws -> Double {
    let store = try await VarveItems(path).store
    guard try await count(store) > 0 else { throw RawError(description: "no commits") }
    let time = try await seconds { _ = try await count(store) }
    try await store.close()
    return time
  }
}
