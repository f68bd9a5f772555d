import VarveCore
import VarveStore

/// Loading one live object by its identifier, beside a struct, if it is alive and if it must be
/// read.
enum LoadByID {
  static let liveName = "load by id, live"
  static let coldName = "load by id, cold"
  private static let find = "typed find"

  static func live(_ context: Context) async throws -> Benchmark {
    let (store, ids) = try await prepared(context)
    let few = Array(ids.prefix(1_000))
    return Benchmark(
      name: liveName,
      contestants: [
        .init(name: Contestants.varve, count: ids.count) {
          let objects = try await Objects(store)
          objects.register(LiveItem.self)
          var held: [LiveItem] = []
          for id in few { held.append(try await objects.load(id)) }
          return try await seconds {
            for index in ids.indices {
              let item = held[index % held.count]
              let loaded: LiveItem = try await objects.load(item.id)
              guard loaded === item else { throw RawError(description: "an item is another") }
            }
          }
        },
        finding(ids, store),
      ],
      comparisons: [.rate(liveName, to: find, Bars.liveToFind)]
    )
  }

  static func cold(_ context: Context) async throws -> Benchmark {
    let (store, ids) = try await prepared(context)
    return Benchmark(
      name: coldName,
      contestants: [
        .init(name: Contestants.varve, count: ids.count) {
          let objects = try await Objects(store)
          objects.register(LiveItem.self)
          return try await seconds {
            for id in ids { _ = try await objects.load(id, as: LiveItem.self) }
          }
        },
        finding(ids, store),
      ],
      comparisons: [.rate(coldName, to: find, Bars.coldToFind)]
    )
  }

  private static func prepared(_ context: Context) async throws -> (Store, [EntityID]) {
    let templates = try await Templates(context, ItemGenerator.small(context.scaled(200_000)))
    var random = SeededGenerator(state: 5)
    let indices = random.indices(context.scaled(50_000), below: templates.items.count)
    let store = try await VarveItems(templates.varve).store
    return (store, indices.map { templates.items[$0].id })
  }

  private static func finding(_ ids: [EntityID], _ store: Store) -> Benchmark.Contestant {
    .init(name: find, count: ids.count) {
      try await seconds {
        for id in ids {
          guard try await store.find(Identifier<StockItem>(id)) != nil else {
            throw RawError(description: "an item is missing")
          }
        }
      }
    }
  }
}
