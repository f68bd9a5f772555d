import Foundation
import VarveCore
import VarveStore
import VarveSync

/// Two stores that wrote apart, one entity a commit, become equal.
enum Divergence {
  static let name = "two stores apart"
  static let bytesName = "bytes on the wire"
  private static let own = "own transactions, one by one"

  /// Ten thousand commits each; every tenth writes an entity that the other writes too.
  static func make(_ context: Context) async throws -> Benchmark {
    let count = context.scaled(10_000)
    let paths = [context.workspace.freshPath("varve"), context.workspace.freshPath("varve")]
    for (side, path) in paths.enumerated() {
      try await use(path) { try await write(count, side, in: $0) }
    }
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: 2 * count) { try await synchronize(paths, context) },
        .init(name: own, count: 2 * count) {
          var time = 0.0
          for side in 0..<2 {
            let path = context.workspace.freshPath("varve")
            defer { context.workspace.discard(path) }
            try await use(path) { store in
              time += try await seconds { try await write(count, side, in: store) }
            }
          }
          return time
        },
      ],
      comparisons: [.rate(name, to: own, nil)]
    )
  }

  /// Measures the bytes that a synchronisation sends for each change: in commits of one cell, and
  /// in one commit of all.
  static func bytes(_ context: Context) async throws -> Benchmark {
    let count = context.scaled(10_000)
    return Benchmark(
      name: bytesName,
      unit: .bytes,
      contestants: [
        .init(name: "commits of one cell", count: count) {
          try await sent(context) { store in
            try await store.create("Item", id: "item")
            for number in 0..<count { try await store.set("item", "size", .int(Int64(number))) }
          }
        },
        .init(name: "one commit", count: count) {
          try await sent(context) { store in
            try await store.create(
              "Item",
              keys: ["size"],
              rows: (0..<count).lazy.map { (EntityID.new(), [.int(Int64($0))]) }
            )
          }
        },
      ],
      comparisons: []
    )
  }

  private static func write(_ count: Int, _ side: Int, in store: Store) async throws {
    for number in 0..<count {
      let name = number % 10 == 0 ? "both \(number)" : "side \(side) \(number)"
      let values: [PropertyKey: Value] = ["name": .string(name), "size": .int(Int64(number))]
      try await store.create("Item", id: try EntityID(name), values)
    }
  }

  private static func synchronize(_ paths: [String], _ context: Context) async throws -> Double {
    let copies = try paths.map { try context.workspace.copy(of: $0) }
    defer { for copy in copies { context.workspace.discard(copy) } }
    var time = 0.0
    try await use(copies[0]) { one in
      try await use(copies[1]) { two in
        time = try await seconds { try await one.sync(with: two) }
        guard try await one.frontier() == two.frontier() else { throw Unequal() }
      }
    }
    return time
  }

  private static func sent(
    _ context: Context,
    _ write: (Store) async throws -> Void
  ) async throws -> Double {
    let (one, two) = (try await Store.open(.inMemory), try await Store.open(.inMemory))
    try await write(one)
    let (there, back) = (Pipe(), Pipe())
    async let theirs = two.sync(
      over: DescriptorConnection(
        reading: there.fileHandleForReading,
        writing: back.fileHandleForWriting
      )
    )
    let report = try await one.sync(
      over: DescriptorConnection(
        reading: back.fileHandleForReading,
        writing: there.fileHandleForWriting
      )
    )
    _ = try await theirs
    try await one.close()
    try await two.close()
    return Double(report.sentByteCount)
  }

  private static func use(_ path: String, _ body: (Store) async throws -> Void) async throws {
    let store = try await Store.open(path)
    try await body(store)
    try await store.close()
  }

  private struct Unequal: Error {}
}
