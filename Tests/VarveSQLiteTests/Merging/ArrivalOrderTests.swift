import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("The order in which commits arrive changes nothing")
struct ArrivalOrderTests {
  private let clock = TestClock()

  @Test
  func `links of a former life are not former when a greater, earlier written re-creation arrives`()
    async throws
  {
    let (x, y): (EntityID, EntityID) = ("x", "y")
    var (one, two, three) = (ScriptedReplica(1), ScriptedReplica(2), ScriptedReplica(3))
    let now = clock.now
    let first = one.commit(
      at: now - 60_000,
      [x.isCreated(), y.isCreated(), y.says(.life(.erased))]
    )
    let greater = two.commit(
      at: now - 50_000,
      seen: [first.id],
      [y.says(.life(.recreated("Thing", datestamp: nil)))]
    )
    let owning = three.commit(
      at: now - 40_000,
      seen: [first.id],
      [
        y.says(.life(.restored)), x.owns(y), y.owns("z"),
        y.says(.add(Relation(.free), target: x, position: nil)),
      ]
    )
    let backdated = one.commit(
      at: now - 30_000,
      [y.says(.life(.recreated("Thing", datestamp: nil)), at: now - 900_000)]
    )
    for order in [
      [first, greater, owning, backdated], [first, owning, backdated, greater],
      [first, backdated, owning, greater], [first, owning, greater, backdated],
    ] {
      let store = try await openBackend(clock: clock)
      for commit in order { _ = try await store.append([commit]) }
      let owned = try await store.read(at: .now) { try await $0.edges(from: "x", in: nil) }
      #expect(owned.map(\.target) == ["y"])
      try await store.expectFold(["x", "y", "z"], clock: clock)
      try await store.close()
    }
  }

  @Test(
    arguments: Seeds.first(12, of: 0..<40)
  )
  func `of live entities, relations, history and conflicts`(part: UInt64) async throws {
    for seed in part * 10..<part * 10 + 10 { try await playInAnyOrder(seed: seed, clock) }
  }
}

@Suite(
  "Soak: the order in which commits arrive changes nothing",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct SoakArrivalOrderTests {
  @Test(arguments: 1_000..<1_200 as Range<UInt64>)
  func `of larger histories either`(part: UInt64) async throws {
    let clock = TestClock()
    for seed in part * 20..<part * 20 + 20 {
      try await playInAnyOrder(seed: seed, count: 6 + Int(seed % 20), orderCount: 5, clock)
    }
  }
}

/// Appends the same commits to stores in several orders, and compares each store with the fold.
func playInAnyOrder(
  seed: UInt64,
  count: Int = 9,
  orderCount: Int = 3,
  _ clock: TestClock
) async throws {
  let history = RandomCommits(seed: seed, count: count, startMilliseconds: clock.now - 60_000)
  let reference = ReferenceBackend(wallMilliseconds: clock.reading())
  _ = try await reference.append(history.commits)
  let conflicts = try await reference.conflicts()
  var random = SplitMix64(seed: seed)
  var moments: [Moment] = [.now]
  for commit in [random.pick(history.commits), random.pick(history.commits)] {
    moments += [.frontier(history.frontier(of: commit)), .time(commit.header.time)]
  }
  var expected: [CanonicalExport] = []
  for moment in moments {
    expected.append(try await CanonicalExport(of: reference, at: moment, ids: history.ids))
  }
  let expectedPairs = try await pairs(in: reference, history.ids, "seed \(seed)")
  for number in 0..<orderCount {
    let store = try await openBackend(clock: clock, touchCapacity: number == 0 ? 3 : 16_384)
    for commit in history.shuffled(&random) { _ = try await store.append([commit]) }
    for place in ["as it came", "rebuilt"] {
      if place == "rebuilt" {
        guard number == 0 else { break }
        try await store.rebuild()
      }
      for (moment, expected) in zip(moments, expected) {
        let actual = try await CanonicalExport(of: store, at: moment, ids: history.ids)
        let difference = expected.firstDifference(from: actual)
        #expect(difference == nil, "seed \(seed), \(place), at \(moment):\n\(difference ?? "")")
        if difference != nil { return try await store.close() }
      }
      let stored = try await pairs(in: store, history.ids, "seed \(seed), \(place)")
      #expect(stored == expectedPairs, "seed \(seed), \(place)")
      let found = try await store.conflicts()
      #expect(found == conflicts, "seed \(seed), \(place): \(found) is not \(conflicts)")
      let findings = try await store.findings()
      #expect(findings == [], "seed \(seed), \(place): \(findings)")
    }
    try await store.close()
  }
}

/// The edges paired with a reference, which must agree with it.
private func pairs(
  in backend: any Backend,
  _ ids: [EntityID],
  _ place: String
) async throws -> [[PairedEdge]] {
  try await backend.read(at: .now) { reader in
    var pairs: [[PairedEdge]] = []
    for id in ids {
      let entity = try await reader.entity(id)
      for (_, pairing) in RandomCommits.references {
        let edges = try await reader.pairedEdges(of: id, key: pairing.key)
        pairs.append(edges)
        guard let entity else { continue }
        let reference = entity[pairing.key]
        for edge in edges where !edge.isRemoved || reference != nil {
          #expect(reference == .reference(edge.other), "\(place), \(pairing.key) of \(id)")
        }
        #expect(edges.isEmpty == false || reference == nil, "\(place), \(pairing.key) of \(id)")
      }
    }
    return pairs
  }
}
