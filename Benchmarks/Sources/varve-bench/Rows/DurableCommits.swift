import VarveCore
import VarveStore

/// Commits of one entity each that are on the disk before their writer continues.
enum DurableCommits {
  static let name = "durable commits, 64 tasks"

  static func make(_ context: Context) -> Benchmark {
    let items = ItemGenerator.small(context.scaled(2_048))
    let (one, many) = ("one task", "64 tasks")
    return Benchmark(
      name: name,
      contestants: [
        .init(name: one, count: items.count) { try await write(context, items, taskCount: 1) },
        .init(name: many, count: items.count) { try await write(context, items, taskCount: 64) },
      ],
      comparisons: [
        .init(name: name, subject: many, anchor: one, kind: .rate, bar: Bars.durableTasksToOne)
      ]
    )
  }

  private static func write(
    _ context: Context,
    _ items: [Item],
    taskCount: Int
  ) async throws -> Double {
    let path = context.workspace.freshPath("varve")
    defer { context.workspace.discard(path) }
    var configuration = Store.Configuration()
    configuration.durability = .synchronized
    let store = try await Store.open(path, configuration: configuration)
    let time = try await seconds {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<taskCount {
          group.addTask {
            for index in stride(from: task, to: items.count, by: taskCount) {
              let properties = VarveItems.properties(items[index])
              try await store.create(VarveItems.type, id: items[index].id, properties)
            }
          }
        }
        try await group.waitForAll()
      }
    }
    guard try await store.count(Query(VarveItems.type)) == items.count else {
      throw RawError(description: "a commit is missing")
    }
    try await store.close()
    return time
  }
}
