import VarveCore
import VarveStore

/// Erasing and restoring an owner of many, a long chain, and a leaf in stores of two sizes.
enum Erasure {
  static let wideName = "erase and restore an owner of 100,000"
  static let deepName = "erase and restore a chain of 100,000"
  static let leafName = "erase and restore a leaf"

  private static let small = "store of 10,000 edges"
  private static let large = "store of 1,000,000 edges"

  static func wide(_ context: Context) async throws -> Benchmark {
    let count = context.scaled(100_000)
    return try await whole(context, wideName, count) { node in node == 0 ? nil : 0 }
  }

  static func deep(_ context: Context) async throws -> Benchmark {
    let count = context.scaled(100_000)
    return try await whole(context, deepName, count) { node in node == 0 ? nil : node - 1 }
  }

  /// The first entity of a store owns all others, one way or another: it is erased, then restored.
  private static func whole(
    _ context: Context,
    _ name: String,
    _ count: Int,
    owner: @Sendable @escaping (Int) -> Int?
  ) async throws -> Benchmark {
    let path = context.workspace.freshPath("varve")
    let template = try await Store.open(path)
    try await fill(template, count: count, owner: owner)
    try await template.close()
    func run(_ work: @escaping (Store) async throws -> Double) -> () async throws -> Double {
      {
        let copy = try context.workspace.copy(of: path)
        defer { context.workspace.discard(copy) }
        let store = try await Store.open(copy)
        let time = try await work(store)
        try await store.close()
        return time
      }
    }
    return Benchmark(
      name: name,
      contestants: [
        .init(
          name: "erase",
          count: count,
          run: run { store in try await seconds { try await store.erase(id(0)) } }
        ),
        .init(
          name: "restore",
          count: count,
          run: run { store in
            try await store.erase(id(0))
            return try await seconds { try await store.restore(id(0)) }
          }
        ),
      ],
      comparisons: []
    )
  }

  static func leaf(_ context: Context) async throws -> Benchmark {
    let leaves = 200
    var contestants: [Benchmark.Contestant] = []
    for (name, edgeCount) in [(large, 1_000_000), (small, 10_000)] {
      let path = context.workspace.freshPath("varve")
      let store = try await Store.open(path)
      let count = name == large ? context.scaled(edgeCount) : edgeCount
      try await fill(store, count: count) { node in node == 0 ? nil : (node - 1) / 100 }
      contestants.append(
        .init(name: name, count: leaves) {
          try await seconds {
            for leaf in 0..<leaves {
              try await store.erase(id(count - 1 - leaf))
              try await store.restore(id(count - 1 - leaf))
            }
          }
        }
      )
    }
    return Benchmark(
      name: leafName,
      contestants: contestants,
      comparisons: [
        .init(name: leafName, subject: large, anchor: small, kind: .cost, bar: Bars.leafGrowth)
      ]
    )
  }

  private static func id(_ number: Int) -> EntityID { EntityID(stringLiteral: "node-\(number)") }

  private static func fill(
    _ store: Store,
    count: Int,
    owner: @escaping @Sendable (Int) -> Int?
  ) async throws {
    try await store.create(
      "Node",
      keys: ["number"],
      rows: (0..<count).lazy.map { (id($0), [.int(Int64($0))]) }
    )
    try await store.write { tx in
      for node in 0..<count {
        if let owner = owner(node) { try await tx.relate(id(owner), .owns, id(node)) }
      }
    }
  }
}
