import VarveCore
import VarveReferences
import VarveStore

/// 100,000 entities by reference in one call, against one call each.
enum InBulk {
  static let writeName = "create if missing, 100,000 a call"
  static let readName = "read properties by id, 100,000 a call"
  static let findName = "read properties by an indexed value, 100,000 a call"
  private static let oneByOne = "one by one"

  static func write(_ context: Context) -> Benchmark {
    let items = ItemGenerator.small(context.scaled(100_000))
    let references = items.map { item in
      let properties = VarveItems.properties(item).map {
        (PropertyName($0.key), NewValue.value($0.value))
      }
      return EntityReference("name", equals: .string(item.name))
        .creating(VarveItems.type, Dictionary(properties, uniquingKeysWith: { $1 }))
    }
    let few = Array(references.prefix(context.scaled(5_000)))
    return benchmark(writeName, references.count, few.count) {
      try await write(context, [references])
    } oneByOne: {
      try await write(context, few.map { [$0] })
    }
  }

  private static func write(
    _ context: Context,
    _ calls: [[EntityReference]]
  ) async throws -> Double {
    let path = context.workspace.freshPath("varve")
    defer { context.workspace.discard(path) }
    let store = try await VarveItems(path).store
    try await store.addIndex(on: "name", of: VarveItems.type)
    let time = try await seconds {
      for references in calls { _ = try await store.findOrCreate(references) }
    }
    try await store.close()
    return time
  }

  static func read(_ context: Context) async throws -> Benchmark {
    let templates = try await Templates(context, ItemGenerator.small(context.scaled(100_000)))
    let store = try await VarveItems(templates.varve).store
    return reading(readName, store, templates.items.map { EntityReference($0.id) })
  }

  static func find(_ context: Context) async throws -> Benchmark {
    let templates = try await Templates(context, ItemGenerator.small(context.scaled(100_000)))
    let store = try await VarveItems(templates.varve).store
    try await store.addIndex(on: "name", of: VarveItems.type)
    let references = templates.items.map {
      EntityReference("name", equals: .string($0.name)).expecting(VarveItems.type)
    }
    return reading(findName, store, references)
  }

  private static func reading(
    _ name: String,
    _ store: Store,
    _ references: [EntityReference]
  ) -> Benchmark {
    benchmark(name, references.count, references.count) {
      try await seconds { try complete(await store.properties(of: references)) }
    } oneByOne: {
      try await seconds {
        for reference in references { try complete(await store.properties(of: [reference])) }
      }
    }
  }

  private static func benchmark(
    _ name: String,
    _ count: Int,
    _ fewCount: Int,
    inBulk: @escaping () async throws -> Double,
    oneByOne: @escaping () async throws -> Double
  ) -> Benchmark {
    Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: count, run: inBulk),
        .init(name: Self.oneByOne, count: count) {
          try await oneByOne() * Double(count) / Double(fewCount)
        },
      ],
      comparisons: [.rate(name, to: Self.oneByOne, Bars.inBulkToOneByOne)]
    )
  }

  @inline(never)
  private static func complete(_ answers: [[PropertyKey: StoredEntity.Property]?]) throws {
    guard answers.allSatisfy({ $0 != nil }) else {
      throw RawError(description: "an item is missing")
    }
  }
}
