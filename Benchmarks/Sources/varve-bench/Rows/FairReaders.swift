import Synchronization
import VarveCore
import VarveStore

/// Eight tasks that read in a loop and one that writes, on as many threads as there are cores.
enum FairReaders {
  static let name = "8 readers and a writer"
  private static let readerCount = 8
  private static let duration = 0.5

  private final class Clock: Sendable {
    let isOver = Atomic(false)
  }

  static func make(_ context: Context) async throws -> Benchmark {
    let items = ItemGenerator.small(context.scaled(10_000))
    let path = context.workspace.freshPath("varve")
    let database = try await VarveItems(path)
    try await database.insert(items)
    try await database.store.close()
    let (fair, least) = ("a fair share", "the least share")
    return Benchmark(
      name: name,
      contestants: [
        .init(name: fair) { 1.0 / Double(readerCount + 1) },
        .init(name: least) { try await leastShare(path, items) },
      ],
      comparisons: [
        .init(name: name, subject: least, anchor: fair, kind: .cost, bar: Bars.leastShareToFair)
      ]
    )
  }

  /// Returns the smallest part of the time that a task was at work, of all tasks.
  private static func leastShare(_ path: String, _ items: [Item]) async throws -> Double {
    let store = try await VarveItems(path).store
    let clock = Clock()
    let shares: [Double] = try await withThrowingTaskGroup(of: Double.self) { group in
      for reader in 0..<readerCount {
        group.addTask {
          try await work(clock) { number in
            _ = try await store.entity(items[(number * 31 + reader) % items.count].id)
          }
        }
      }
      group.addTask {
        try await work(clock) { number in
          try await store.set(items[number % items.count].id, "count", .int(Int64(number)))
        }
      }
      let stopwatch = ContinuousClock.now
      while ContinuousClock.now - stopwatch < .seconds(duration) {
        try await Task.sleep(for: .milliseconds(10))
      }
      clock.isOver.store(true, ordering: .relaxed)
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try await store.close()
    return (shares.min() ?? 0) / shares.reduce(0, +)
  }

  /// Repeats a call until the time is over. Returns how long the calls took by themselves: those
  /// that waited for a turn count as the median.
  private static func work(
    _ clock: Clock,
    _ call: (Int) async throws -> Void
  ) async throws -> Double {
    var times: [Double] = []
    while !clock.isOver.load(ordering: .relaxed) {
      let number = times.count
      times.append(try await seconds { try await call(number) })
    }
    guard !times.isEmpty else { return 0 }
    return Sample(times).median * Double(times.count)
  }
}
