import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Random queries over random models, against the same asked of plain arrays.
@Suite("Any query of models")
struct QueryTrialTests {
  @Test(
    arguments: [Engine.reference, .memory],
    UInt64(0)..<12
  )
  func `any query of models equals a pass over plain data, in any state`(
    engine: Engine,
    seed: UInt64
  ) async throws {
    try await QueryTrial(engine: engine, seed: seed).run(steps: 6, queries: 10)
  }
}

/// The same for long, for `make soak`.
@Suite(
  "Soak: any query of models",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct QueryTrialSoakTests {
  @Test(arguments: [Engine.reference, .memory, .file], UInt64(1_000)..<1_400)
  func `equals a pass over plain data`(engine: Engine, seed: UInt64) async throws {
    try await QueryTrial(engine: engine, seed: seed).run(steps: 10, queries: 40)
  }
}

private struct QueryTrial {
  let engine: Engine
  let seed: UInt64

  func run(steps: Int, queries: Int) async throws {
    var random = SplitMix64(seed: seed)
    let store = try await makeStore(engine)
    var state = PlainState()
    var past: (Frontier, PlainState)?
    for step in 0..<steps {
      state = try await store.write { [state, random] tx in
        var (state, random) = (state, random)
        for _ in 0..<6 { try await random.trialWrite(tx, &state) }
        if step == steps - 1 { try await check(tx, state, &random, queries) }
        return state
      }
      for _ in 0..<40 { _ = random.next() }
      if step == steps / 2 { past = (try await store.frontier(), state) }
    }
    try await check(store, state, &random, queries)
    if let past { try await check(store.asOf(past.0), past.1, &random, queries) }
    try await checkMerged(store, state, &random, queries)
    try await store.close()
  }

  /// Two copies that wrote apart, merged.
  private func checkMerged(
    _ store: Store,
    _ state: PlainState,
    _ random: inout SplitMix64,
    _ queries: Int
  ) async throws {
    let copy = try await makeStore(engine)
    _ = try await copy.merge(from: store)
    var apart = PlainState()
    apart = try await copy.write { [random] tx in
      var (state, random) = (PlainState(), random)
      for _ in 0..<8 { try await random.trialWrite(tx, &state, named: "m") }
      return state
    }
    _ = try await store.merge(from: copy)
    var merged = state
    merged.picks.merge(apart.picks) { _, new in new }
    let entities = Dictionary(
      (state.entities + apart.entities).map { ($0.id, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    merged.entities = try await store.allIDs().compactMap { entities[$0] }
    #expect(merged.entities.count == entities.count)
    try await check(store, merged, &random, queries)
  }

  private func check(
    _ reading: some Reading,
    _ state: PlainState,
    _ random: inout SplitMix64,
    _ queries: Int
  ) async throws {
    for _ in 0..<queries {
      let trial = random.trialQuery(state)
      try await check(reading, trial)
      try await checkPages(reading, trial, &random)
    }
    try await checkRelations(reading, state)
  }

  private func check(_ reading: some Reading, _ trial: TrialQuery) async throws {
    let query = trial.query
    let place: Comment = "seed \(seed): \(query.untyped)"
    let expected = trial.windowed
    #expect(try await reading.fetch(query).map(\.id.entityID) == expected, place)
    #expect(try await reading.fetch(query.untyped).map(\.id) == expected, place)
    #expect(try await reading.count(query) == expected.count, place)
    #expect(try await reading.exists(query) == !expected.isEmpty, place)
    #expect(try await reading.first(query)?.id.entityID == expected.first, place)
    if query.untyped.limit != nil || query.untyped.offset > 0 {
      #expect(try await reading.last(query)?.id.entityID == expected.last, place)
    }
    var streamed: [EntityID] = []
    for try await thing in reading.stream(query, pageSize: 2) { streamed.append(thing.id.entityID) }
    #expect(streamed == expected, place)
    let ids = try await reading.fetch(query.select(\.id)).map(\.entityID)
    #expect(ids == expected, place)
  }

  /// Pages put together are the rows, ties of the order by identifier.
  private func checkPages(
    _ reading: some Reading,
    _ trial: TrialQuery,
    _ random: inout SplitMix64
  ) async throws {
    var query = trial.query
    query = try TypedQuery(query.untyped.withoutWindow)
    if query.untyped.mayRepeat { query = query.distinct }
    let whole = try await reading.fetch(query.order(by: \.id)).map(\.id.entityID)
    #expect(Set(whole) == Set(trial.ids))
    let size = random.pick([1, 2, 3, whole.count + 1, .max])
    var (found, mark): ([EntityID], PageMark?) = ([], nil)
    repeat {
      let page = try await reading.page(of: query, size: size, after: mark)
      #expect(page.models.count <= size)
      found += page.models.map(\.id.entityID)
      mark = page.next
    } while mark != nil && found.count <= whole.count
    #expect(found == whole, "seed \(seed), size \(size): \(query.untyped)")
  }

  private func checkRelations(_ reading: some Reading, _ state: PlainState) async throws {
    let query = Holder.all.with(\.things) { $0.order(by: \.number, descending: true) }
      .with(\.picks)
    let owner = TrialField(.identifier, "owner", "keeper")
    let number = TrialField(.identifier, "number")
    for holder in try await reading.fetch(query) {
      let id = holder.id.entityID
      let theirs = state.entities.filter {
        $0.type == "things" && owner.value(in: $0) == .reference(id)
      }
      let ordered = theirs.indices.sorted { left, right in
        let order = PlainComparison.sorts(
          number.value(in: theirs[left]),
          number.value(in: theirs[right])
        )
        return order == 0 ? left < right : order > 0
      }
      #expect(holder.things.loaded?.map(\.id.entityID) == ordered.map { theirs[$0].id }, "\(seed)")
      #expect(try await reading.count(holder.toMany(Thing.self)) == theirs.count, "\(seed)")
      let picks = (state.picks[id] ?? []).filter { state[$0] != nil }
      #expect(holder.picks.loaded?.map(\.id.entityID) == picks, "seed \(seed)")
    }
    let owned = try await reading.fetch(Thing.all.with(\.owner))
    for thing in owned {
      let holder = thing.owner.map(\.id.entityID).flatMap { state[$0] }
      #expect(thing.owner?.loaded?.id.entityID == holder?.id, "seed \(seed)")
    }
  }
}
