import VarveSealed
import VarveStore

/// The cost of work in a sealed space, compared with the same work in an open space.
enum SealedSpaces {
  static let insertName = "insert, sealed space"
  static let syncName = "first synchronisation, sealed space"
  static let findName = "find, sealed space"
  private static let open = "open space"

  /// Many entities in one transaction.
  static func insert(_ context: Context) -> Benchmark {
    let items = ItemGenerator.small(context.scaled(200_000))
    return measured(insertName, items.count, Bars.sealedInsertToOpen) { isSealed in
      try await inFreshStore(context, isSealed) { store in
        try await seconds { try await store.insert(items) }
      }
    }
  }

  /// A hundred commits into an empty store, in one process.
  static func sync(_ context: Context) async throws -> Benchmark {
    let items = ItemGenerator.small(context.scaled(125_000))
    let sources = [try await source(context, items, false), try await source(context, items, true)]
    return measured(syncName, items.count, Bars.sealedSyncToOpen) { isSealed in
      let source = sources[isSealed ? 1 : 0]
      let path = context.workspace.freshPath("varve")
      defer { context.workspace.discard(path) }
      let copy = try await store(context, path, isSealed, of: source)
      let time = try await seconds { try await copy.store.sync(with: source.store) }
      guard try await copy.store.count(Query(VarveItems.type)) == items.count else {
        throw Incomplete()
      }
      try await copy.store.close()
      return time
    }
  }

  /// One entity by its identifier, random ones, one after another.
  static func find(_ context: Context) async throws -> Benchmark {
    let items = ItemGenerator.small(context.scaled(100_000))
    let sources = [try await source(context, items, false), try await source(context, items, true)]
    var random = SeededGenerator(state: 4)
    let ids = random.indices(context.scaled(50_000), below: items.count).map { items[$0].id }
    return measured(findName, ids.count, Bars.sealedFindToOpen) { isSealed in
      let store = sources[isSealed ? 1 : 0].store
      return try await seconds { for id in ids { _ = try await store.require(id) } }
    }
  }

  private static func measured(
    _ name: String,
    _ count: Int,
    _ bar: Bar,
    _ run: @escaping (Bool) async throws -> Double
  ) -> Benchmark {
    Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: count) { try await run(true) },
        .init(name: open, count: count) { try await run(false) },
      ],
      comparisons: [.rate(name, to: open, bar)]
    )
  }

  // MARK: Stores

  private static func inFreshStore(
    _ context: Context,
    _ isSealed: Bool,
    _ work: (VarveItems) async throws -> Double
  ) async throws -> Double {
    let path = context.workspace.freshPath("varve")
    defer { context.workspace.discard(path) }
    let items = try await store(context, path, isSealed)
    let time = try await work(items)
    try await items.store.close()
    return time
  }

  /// Returns a store with the items in a hundred commits.
  private static func source(
    _ context: Context,
    _ items: [Item],
    _ isSealed: Bool
  ) async throws -> VarveItems {
    let store = try await store(context, context.workspace.freshPath("varve"), isSealed)
    let size = max(1, items.count / 100)
    for start in stride(from: 0, to: items.count, by: size) {
      try await store.insert(Array(items[start..<min(start + size, items.count)]))
    }
    return store
  }

  /// Opens a store: the first of a new space, or one that another has admitted.
  private static func store(
    _ context: Context,
    _ path: String,
    _ isSealed: Bool,
    of admin: VarveItems? = nil
  ) async throws -> VarveItems {
    guard isSealed else { return try await VarveItems(path) }
    var configuration = Store.Configuration()
    configuration.seal = try .member(with: .folder(context.workspace.freshPath("keys")))
    let store = try await Store.open(path, configuration: configuration)
    if let admin {
      try await store.join(try await admin.store.invite(.writer))
    } else {
      _ = try await store.sealSpace()
    }
    return VarveItems(store)
  }

  private struct Incomplete: Error {}
}
