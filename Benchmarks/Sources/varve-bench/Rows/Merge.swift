import VarveStore

/// A million foreign cells into an empty store, against writing them oneself.
enum Merge {
  static let name = "merge of foreign cells"
  private static let own = "own bulk insert"

  static func make(_ context: Context) async throws -> Benchmark {
    let items = ItemGenerator.small(context.scaled(125_000))
    let source = context.workspace.freshPath("varve")
    let foreign = try await VarveItems(source)
    try await foreign.insert(items)
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: items.count) {
          try await inEmptyStore(context) { try await $0.store.merge(from: foreign.store) }
        },
        .init(name: own, count: items.count) {
          try await inEmptyStore(context) { try await $0.insert(items) }
        },
      ],
      comparisons: [.rate(name, to: own, Bars.mergeToBulkInsert)]
    )
  }

  private static func inEmptyStore<Result>(
    _ context: Context,
    _ work: (VarveItems) async throws -> Result
  ) async throws -> Double {
    let path = context.workspace.freshPath("varve")
    defer { context.workspace.discard(path) }
    let database = try await VarveItems(path)
    let time = try await seconds { try await work(database) }
    try await database.store.close()
    return time
  }
}
