import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Types with more keys than columns")
struct WideTypeTests {
  @Test(arguments: Kind.allCases)
  func `support queries and orders on keys in the overflow`(kind: Kind) async throws {
    let trip = try await RoundTrip(kind)
    var random = SplitMix64(seed: 1)
    let keys = (0..<230).map { PropertyKey("key \($0)") }
    let ids = (0..<12).map { EntityID(unchecked: "\($0)") }
    for id in ids {
      let some = keys.filter { _ in random.chance(60) }
      let values = some.map { ($0, random.value(references: ids)) }
      try await trip.backend.create(id, "Wide", Dictionary(uniqueKeysWithValues: values))
    }
    let moments = try await trip.past()
    for _ in 0..<200 {
      let value = random.value(references: ids)
      try await trip.backend.set(random.pick(ids), random.pick(keys), value)
    }
    try await trip.backend.write([.erase(ids[3]), .unset(ids[4], keys[229], time: nil)])
    let queries = (0..<150).map { index -> Query in
      let (key, value) = (
        keys[index % 2 == 0 ? 229 - index / 5 : index], random.value(references: ids)
      )
      let query = Query("Wide").where(.compare(Field(key), random.pick(Comparison.allCases), value))
      return index % 3 == 0
        ? Query("Wide").order(by: Field(key)) : query.order(by: Field(keys[225]))
    }
    try await trip.prove(ids, at: moments, queries: queries)
  }

  @Test(.timeLimit(.minutes(1)))
  func `types with more keys than columns may have five thousand keys`() async throws {
    let trip = try await RoundTrip(.file)
    let start = ContinuousClock.now
    for part in 0..<50 {
      let values = (0..<100).map { (PropertyKey("key \(part * 100 + $0)"), Value.int(Int64($0))) }
      let id = EntityID(unchecked: "\(part)")
      try await trip.backend.create(id, "Wide", Dictionary(uniqueKeysWithValues: values))
    }
    try await trip.backend.set("0", "key 4999", "text")
    let writing = ContinuousClock.now - start
    #expect(writing < .seconds(20))
    let queries = [
      Query("Wide").where(Field("key 4999") == 99),
      Query("Wide").where(Field("key 4999") == "text"),
      Query("Wide").order(by: Field("key 4950"), descending: true).limit(3),
    ]
    try await trip.prove(["0", "49"], queries: queries)
  }

  @Test(.timeLimit(.minutes(2)))
  func `a value of 100 MB is kept in bounded memory`() async throws {
    let scratch = try Scratch()
    let lines = try await Torture.run("large", scratch.path("store"), "\(100 << 20)")
    #expect(lines.contains("equal true"))
    func mebibytes(_ what: String) throws -> Int {
      let line = try #require(lines.first { $0.hasPrefix("\(what) ") })
      return try #require(line.split(separator: " ").last.flatMap { Int($0) }) >> 20
    }
    // SQLite's cache of 64 MiB, and what every process takes, are no part of the value.
    let written = try mebibytes("written") - mebibytes("began")
    #expect(written < 300 + 100, "\(written) MiB to keep a value of 100")
    #expect(try mebibytes("peak") < 900)
  }
}
