import VarveCore
import VarveStore

/// The memory of a thousand open stores that are read and written at random, in a process of its
/// own.
enum StoresProbe {
  static let name = "many stores"
  private static let storeCount = 1_000
  private static let entityCount = 10_000

  /// Starts the process and prints its results.
  static func report(_ options: Options) throws {
    Report.show("\n" + name)
    try ProbeProcess.show(["--stores-probe"] + (options.isQuick ? ["--quick"] : []))
  }

  /// Measures this process.
  static func run(_ options: Options) async throws {
    let workspace = try Workspace()
    defer { workspace.remove() }
    let items = ItemGenerator.small(entityCount)
    let path = workspace.freshPath("varve")
    let template = try await VarveItems(path)
    try await template.insert(items)
    try await template.store.close()
    var stores: [Store] = []
    let opening = try await seconds {
      for _ in 0..<options.scaled(storeCount) {
        stores.append(try await Store.open(workspace.copy(of: path)))
      }
    }
    var random = SeededGenerator(state: 5)
    let callCount = stores.count * 10
    let calls = try await seconds {
      for number in random.indices(callCount, below: stores.count * entityCount) {
        let (store, item) = (stores[number % stores.count], items[number / stores.count])
        if number % 2 == 0 {
          try await store.set(item.id, "count", .int(Int64(number)))
        } else if try await store.entity(item.id) == nil {
          throw RawError(description: "an entity is missing")
        }
      }
    }
    Report.show(
      "\(stores.count) stores of \(entityCount) entities: peak \(Machine.peakMemory >> 20) MiB, "
        + "\((opening / Double(stores.count) * 1e3).shown) ms to copy and open one, "
        + "\((calls / Double(callCount) * 1e6).shown) µs a call"
    )
    for store in stores { try await store.close() }
  }
}
