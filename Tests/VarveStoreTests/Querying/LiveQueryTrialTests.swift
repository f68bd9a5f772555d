import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Random live queries while random writes go on, here and in a copy that is merged.
@Suite("Any live query")
struct LiveQueryTrialTests {
  @Test(
    arguments: [Engine.reference, .memory],
    UInt64(0)..<10
  )
  func `any live query ends with the present result, whatever was written`(
    engine: Engine,
    seed: UInt64
  ) async throws {
    try await LiveQueryTrial(engine: engine, seed: seed).run(steps: 15)
  }
}

/// The same for long, for `make soak`.
@Suite(
  "Soak: any live query",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct LiveQueryTrialSoakTests {
  @Test(arguments: [Engine.reference, .memory, .file], UInt64(1_000)..<1_200)
  func `ends with the present result`(engine: Engine, seed: UInt64) async throws {
    try await LiveQueryTrial(engine: engine, seed: seed).run(steps: 60)
  }
}

private struct LiveQueryTrial {
  let engine: Engine
  let seed: UInt64

  /// A query that is watched.
  private struct Watched {
    let types: Set<EntityType>?
    let fresh: @Sendable (Store) async throws -> [String]
    var next: () async throws -> [String]?
    var last: [String] = []
  }

  func run(steps: Int) async throws {
    var random = SplitMix64(seed: seed)
    let store = try await makeStore(engine)
    let copy = try await makeStore(engine)
    var state = PlainState()
    state = try await write(store, state, 12, "t", &random)
    _ = try await copy.merge(from: store)
    var apart = PlainState()
    var watched = try await watch(store, state, &random)
    let changes = try await store.changes()
    for _ in 0..<steps {
      if random.chance(30) {
        apart = try await write(copy, apart, 3, "m", &random)
        if random.chance(30), let id = state.entities.first?.id, try await copy.entity(id) != nil {
          try await copy.erase(id)
        }
        _ = try await store.merge(from: copy)
        state.entities = try await store.entities(state.entities.map(\.id)).compactMap { entity in
          entity.map { found in PlainEntity(id: found.id, type: found.type, values: [:]) }
        }
      } else {
        state = try await write(store, state, 1, "t", &random)
      }
      var types: Set<EntityType> = []
      while let change = changes.poll() { types.formUnion(change.types) }
      for index in watched.indices {
        let fresh = try await watched[index].fresh(store)
        let isTold = watched[index].types.map { !$0.isDisjoint(with: types) } ?? !types.isEmpty
        #expect(isTold || fresh == watched[index].last, "seed \(seed)")
        guard isTold else { continue }
        watched[index].last = try await watched[index].next() ?? []
        #expect(watched[index].last == fresh, "seed \(seed)")
      }
    }
  }

  private func write(
    _ store: Store,
    _ state: PlainState,
    _ count: Int,
    _ name: String,
    _ random: inout SplitMix64
  ) async throws -> PlainState {
    let (state, moved) = try await store.write { [random] tx in
      var (state, random) = (state, random)
      for _ in 0..<count { try await random.trialWrite(tx, &state, named: name) }
      return (state, random)
    }
    random = moved
    return state
  }

  private func watch(
    _ store: Store,
    _ state: PlainState,
    _ random: inout SplitMix64
  ) async throws -> [Watched] {
    var watched: [Watched] = []
    for _ in 0..<4 {
      let query = random.trialQuery(state).query
      var typed = try await store.observe(query).makeAsyncIterator()
      watched.append(
        Watched(types: query.types) {
          try await $0.fetch(query).map(\.id.text)
        } next: {
          try await typed.next()?.map(\.id.text)
        }
      )
      var plain = try await store.observe(query.untyped).makeAsyncIterator()
      watched.append(
        Watched(types: query.untyped.types) {
          try await $0.fetch(query.untyped).map(\.id.text)
        } next: {
          try await plain.next()?.map(\.id.text)
        }
      )
    }
    let along = Holder.all.with(\.things).with(\.picks)
    var loaded = try await store.observe(along).makeAsyncIterator()
    watched.append(
      Watched(types: along.types) {
        try await $0.fetch(along).map(Self.text)
      } next: {
        try await loaded.next()?.map(Self.text)
      }
    )
    for index in watched.indices { watched[index].last = try await watched[index].next() ?? [] }
    return watched
  }

  private static func text(_ holder: Holder) -> String {
    let ids = [holder.things.ids ?? [], holder.picks.ids ?? []]
    return "\(holder.id): \(ids)"
  }
}
