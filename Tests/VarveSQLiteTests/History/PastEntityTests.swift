import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Single entities of a past state", .serialized)
struct PastEntityTests {
  @Test(
    arguments: Seeds.first(10, of: 0..<300)
  )
  func `are those of the fold, before and after a whole type is read`(seed: UInt64) async throws {
    let history = try await PastHistory(seed: seed)
    var random = SplitMix64(seed: seed)
    for moment in try await history.moments(8, using: &random) {
      let difference = try await history.difference(at: moment, inFull: random.chance(30))
      #expect(difference == nil, "seed \(seed) at \(moment): \(difference ?? "")")
    }
    try await history.close()
  }

  @Test(arguments: [false, true])
  func `single entities of a past state die with an owner, and live again, as of then`(
    readsTypeFirst: Bool
  ) async throws {
    let clock = TestClock()
    let backend = try await openBackend(clock: clock)
    try await backend.create("shop", "Shop")
    try await backend.create("hat", "Hat", ["size": 7])
    let owned = Relation(.owns, "")
    try await backend.write([.relate("shop", owned, "hat", nil)])
    clock.advance(by: 10)
    let live = clock.now
    clock.advance(by: 10)
    try await backend.write([.erase("shop")])
    let dead = clock.now
    clock.advance(by: 10)
    try await backend.write([.restore("shop")])
    try await backend.set("hat", "size", 9)
    for (time, size) in [(live, Value.int(7)), (dead, nil), (clock.now, .int(9))] {
      let moment = Moment.time(HybridTime(millisecondsSince1970: time).endOfMillisecond)
      let found = try await backend.read(at: moment) { reader in
        if readsTypeFirst { _ = try await reader.fetch(Query("Hat")) }
        return try await reader.entity("hat")?["size"]
      }
      #expect(found == size)
    }
    try await backend.close()
  }
}
