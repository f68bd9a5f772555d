import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("A history", .serialized)
struct CreationHistoryTests {
  @Test(
    arguments: Seeds.first(8, of: 0..<300)
  )
  func `a history is that of the fold, whether or not its entity was written to since`(seed: UInt64)
    async throws
  {
    let history = try await PastHistory(seed: seed, forgetting: seed % 2 == 0 ? [] : [.purges])
    var random = SplitMix64(seed: seed)
    for moment in [.now] + (try await history.moments(3, using: &random)) {
      guard try await history.canBeRead(moment) else { continue }
      let one = try await history.reference.read(at: moment) { try await lines($0, history.ids) }
      let two = try await history.backend.read(at: moment) { try await lines($0, history.ids) }
      #expect(one == two, "seed \(seed) at \(moment)")
    }
    try await history.close()
  }

  private func lines(_ reader: any BackendReader, _ ids: [EntityID]) async throws -> [String] {
    var lines: [String] = []
    for id in ids {
      let whole = try await reader.history(of: id, key: nil, limit: nil)
      for key in Set(whole.compactMap(\.content.key)).sorted() + ["unheard of"] {
        for limit in [nil, 0, 1] {
          lines.append("\(try await reader.history(of: id, key: key, limit: limit))")
        }
      }
      for limit in 0..<(whole.count + 2) {
        let newest = try await reader.history(of: id, key: nil, limit: limit)
        #expect(newest == Array(whole.prefix(limit)))
      }
    }
    return lines
  }

  @Test func `is read as far as it is returned, however many properties were written to`()
    async throws
  {
    let clock = TestClock()
    let backend = try await openBackend(clock: clock)
    try await backend.create("hat", "Hat", ["size": 7])
    let text = String(repeating: "x", count: 10_000)
    for number in 0..<20 {
      clock.advance(by: 10)
      try await backend.set("hat", PropertyKey("key \(number)"), .string(text))
    }
    // As much as two values.
    let bounds = ReadBounds(resultByteCount: 25_000, memoryByteCount: 1 << 20)
    let keys: [PropertyKey?] = ["key 19", "key 18"]
    for limit in [1, 2] {
      let versions = try await ReadBounds.$current.withValue(bounds) {
        try await backend.read(at: .now) { try await $0.history(of: "hat", key: nil, limit: limit) }
      }
      #expect(versions.map(\.content.key) == Array(keys.prefix(limit)))
    }
    await #expect(throws: VarveError.self) {
      try await ReadBounds.$current.withValue(bounds) {
        try await backend.read(at: .now) { try await $0.history(of: "hat", key: nil, limit: 3) }
      }
    }
    try await backend.close()
  }

  @Test func `a history has the value of the creation at its time, and nothing before it`()
    async throws
  {
    let clock = TestClock()
    let backend = try await openBackend(clock: clock)
    let before = HybridTime(millisecondsSince1970: clock.now)
    clock.advance(by: 10)
    try await backend.create("hat", "Hat", ["size": 7, "color": "red"])
    clock.advance(by: 10)
    try await backend.set("hat", "color", "blue")
    let versions = try await backend.read(at: .now) { reader in
      try await reader.history(of: "hat", key: "size", limit: nil)
    }
    #expect(versions.map(\.content) == [.value("size", 7, semanticType: "integer")])
    #expect(versions.first?.time == versions.first?.commit.time)
    let earlier = try await backend.read(at: .time(before)) { reader in
      try await reader.history(of: "hat", key: "size", limit: nil)
    }
    #expect(earlier == [])
    try await backend.close()
  }
}
