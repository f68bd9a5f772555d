import Foundation
import VarveCore
import VarveStore

/// A slider that is dragged a thousand steps over ten years of commits, in a process of its own,
/// because the row is about its memory.
enum StepsProbe {
  static let name = "past, 1,000 steps"
  private static let entityCount = 10_000
  private static let dayCount = 3_650
  private static let changesPerDay = 10
  private static let stepCount = 1_000
  private static let firstSteps = 100
  private static let pageSize = 50
  private static let day = 86_400.0
  private static let start = Date(timeIntervalSince1970: 1_420_070_400)

  /// Starts the process and prints its results.
  static func report(_ options: Options) throws {
    Report.show("\n" + name)
    try ProbeProcess.show(["--steps-probe"] + (options.isQuick ? ["--quick"] : []))
  }

  /// Measures this process.
  static func run(_ options: Options) async throws {
    let workspace = try Workspace()
    defer { workspace.remove() }
    let path = workspace.freshPath("varve")
    let count = options.scaled(entityCount)
    let changeCount = try await write(count, to: path)
    let store = try await Store.open(path)
    let dates = dates(options.scaled(stepCount))
    let first = dates.prefix(options.scaled(firstSteps))
    try await readPages(store, first)
    let before = Machine.residentMemory
    let rest = dates.dropFirst(first.count)
    let time = try await seconds { try await readPages(store, rest) }
    let growth = Machine.residentMemory - before
    Report.show(
      "\(changeCount) changes in \(dayCount) commits: \((time / Double(rest.count) * 1e3).shown) ms "
        + "a step of up to a year with its page of \(pageSize); after \(dates.count) steps "
        + "\(growth >> 20) MiB more than after \(first.count), peak \(Machine.peakMemory >> 20) MiB"
    )
    let last = dates[dates.count - 1]
    let moved = try await entities(store.asOf(last))
    try await store.close()
    let other = try await Store.open(path)
    let anew = try await entities(other.asOf(last))
    try await other.close()
    guard moved == anew, moved.count == count else {
      throw RawError(description: "a state that was moved to differs from the same read anew")
    }
    Report.show("\(moved.count) entities of the last date equal those of a store just opened")
  }

  /// Writes a commit for each day of ten years, and returns the number of changes.
  private static func write(_ count: Int, to path: String) async throws -> Int {
    let items = ItemGenerator.small(count)
    let store = try await Store.open(path)
    try await store.create(
      VarveItems.type,
      keys: VarveItems.keys,
      rows: items.lazy.map { ($0.id, VarveItems.values($0)) },
      at: start
    )
    var random = SeededGenerator(state: 11)
    let indices = random.indices(dayCount * changesPerDay, below: count)
    for number in 1...dayCount {
      let date = start.addingTimeInterval(Double(number) * day)
      let changed = indices[(number - 1) * changesPerDay..<number * changesPerDay]
      try await store.write { transaction in
        for index in changed {
          try await transaction.set(items[index].id, "price", .double(Double(number)), at: date)
        }
      }
    }
    try await store.close()
    return indices.count
  }

  /// Returns dates some days apart from each other, forth and back: up to a week, as a slider that
  /// is dragged, and each tenth up to a year, as one that is set.
  private static func dates(_ count: Int) -> [Date] {
    var random = SeededGenerator(state: 13)
    var number = dayCount / 2
    return random.indices(count, below: 731).enumerated().map { step, choice in
      let distance = step % 10 == 9 ? choice - 365 : choice % 15 - 7
      number = min(max(number + distance, 1), dayCount)
      return start.addingTimeInterval((Double(number) + 0.5) * day)
    }
  }

  private static func readPages(_ store: Store, _ dates: some Sequence<Date>) async throws {
    for date in dates {
      let page = try await store.asOf(date).fetch(Query(VarveItems.type).limit(pageSize))
      guard page.count == pageSize else { throw RawError(description: "a page is not full") }
    }
  }

  private static func entities(
    _ state: some Reading
  ) async throws -> [EntityID: [PropertyKey: StoredEntity.Property]] {
    let entities = try await state.fetch(Query(VarveItems.type))
    return Dictionary(uniqueKeysWithValues: entities.map { ($0.id, $0.properties) })
  }
}
