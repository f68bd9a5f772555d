import Foundation
import VarveCore
import VarveReferences
import VarveStore

/// Creates entities by name if they are missing: the same names in four tasks, each in an order of
/// its own, one by one and in lists.
enum Claiming {
  static func run(_ path: String, name: String, count: Int) async throws {
    var configuration = Store.Configuration()
    configuration.writerPatience = .seconds(120)
    let store = try await Store.open(path, configuration: configuration)
    Report.line("opened")
    while !FileManager.default.fileExists(atPath: path + ".go") {
      try await Task.sleep(for: .milliseconds(1))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask { try await claim(count, by: "\(name) \(task)", in: store, isBulk: task > 1) }
      }
      try await group.waitForAll()
    }
    Report.line("claimed")
    try await store.close()
  }

  private static func claim(
    _ count: Int,
    by name: String,
    in store: Store,
    isBulk: Bool
  ) async throws {
    let references = (0..<count).shuffled().map { number in
      EntityReference("name", equals: .string("name \(number)"))
        .creating("Person", ["by": .value(.string(name))])
    }
    let size = isBulk ? 10 : 1
    for start in stride(from: 0, to: count, by: size) {
      let found = try await store.findOrCreate(Array(references[start..<min(start + size, count)]))
      guard found.allSatisfy({ $0 != nil }) else {
        throw VarveError(.notFound, "a name was neither found nor created")
      }
    }
  }
}

/// Creates an entity now and then.
enum Ticking {
  static func run(_ path: String, count: Int) async throws {
    let store = try await Store.open(path)
    for number in 0..<count {
      try await Task.sleep(for: .milliseconds(50))
      try await store.create("Tick", ["number": .int(Int64(number))])
    }
    try await store.close()
  }
}
