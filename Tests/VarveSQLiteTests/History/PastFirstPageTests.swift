import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("The first page of a past state")
struct PastFirstPageTests {
  /// Two stores that write values and exchange them.
  private struct Trial {
    let clock = TestClock()
    let stores: [SQLiteBackend]
    let ids = (0..<12).map { EntityID(unchecked: "hat \($0)") }

    init() async throws {
      stores = [
        try await openBackend(clock: clock, touchCapacity: 20),
        try await openBackend(clock: clock, touchCapacity: 20),
      ]
      for (number, id) in ids.enumerated() {
        clock.advance(by: 1)
        let values: [PropertyKey: Value] = ["size": .int(Int64(number)), "name": "first"]
        try await stores[0].create(id, number % 3 == 2 ? "Shop" : "Hat", values)
      }
      try await stores[0].write([.erase(ids[3])])
      try await exchange()
    }

    func exchange() async throws {
      for (one, other) in [(stores[0], stores[1]), (stores[1], stores[0])] {
        _ = try await one.append(other.commits(beyond: one.frontier(), atMost: .max))
      }
    }

    func change(_ random: inout SplitMix64) async throws {
      clock.advance(by: random.pick([0, 5]))
      let (store, id) = (random.pick(stores), random.pick(ids))
      if random.chance(20) {
        try await store.write([.unset(id, "name", time: nil)])
      } else {
        let key: PropertyKey = random.chance(50) ? "size" : "name"
        let value = random.value(references: ids)
        try await store.write([.set(id, Assignment(key, value), time: nil)])
      }
    }

    /// Returns the present moment of a store, by time or by frontier.
    func moment(_ random: inout SplitMix64) async throws -> Moment {
      if random.chance(50) {
        return .time(HybridTime(millisecondsSince1970: clock.now).endOfMillisecond)
      }
      return .frontier(try await random.pick(stores).frontier())
    }
  }

  @Test(
    arguments: Seeds.first(8, of: 0..<200)
  )
  func `has the entities of the fold, and so have the pages after it`(seed: UInt64) async throws {
    let trial = try await Trial()
    var random = SplitMix64(seed: seed)
    var moments: [Moment] = []
    for step in 0..<60 {
      try await trial.change(&random)
      if random.chance(10) { moments.append(try await trial.moment(&random)) }
      if random.chance(20) { try await trial.exchange() }
      if step == 40, random.chance(30) { try await trial.stores[0].write([.erase(trial.ids[5])]) }
    }
    try await trial.exchange()
    let reference = ReferenceBackend(wallMilliseconds: trial.clock.reading())
    try await reference.catchUp(with: trial.stores[0])
    for moment in moments {
      let fresh = try await openBackend(clock: trial.clock, touchCapacity: 20)
      _ = try await fresh.append(trial.stores[0].commits(beyond: .empty, atMost: .max))
      for type: EntityType in ["Hat", "Shop", "Hat"] {
        let query = Query(type).limit(random.pick([1, 3, 20])).offset(random.pick([0, 2]))
        let expected = try await reference.read(at: moment) { try await $0.fetch(query).map(text) }
        let page = try await fresh.read(at: moment) { try await $0.fetch(query).map(text) }
        #expect(page == expected, "seed \(seed), \(query) at \(moment)")
      }
      try await fresh.close()
    }
    for store in trial.stores { try await store.close() }
  }

  private func text(_ entity: StoredEntity) -> String {
    let values = entity.keys.sorted().map { key in
      "\(key.text)=\(entity[key].map { "\($0)" } ?? "") \(entity.property(key)?.semanticType ?? "")"
    }
    return "\(entity.id) \(entity.type) \(entity.datestamp) \(entity.modified) \(values)"
  }
}
