import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("Many properties of one entity, written in one transaction")
struct BufferedRowTests {
  private static let keys = (0..<700).map { PropertyKey("key \($0)") }

  private func changes(_ random: inout SplitMix64) -> [(key: PropertyKey, value: Value?)] {
    (0..<400).map { _ in
      let value: Value? =
        switch Int.random(in: 0..<5, using: &random) {
        case 0: nil
        case 1: .string("text")
        case 2: .double(.nan)
        default: .int(Int64.random(in: 0..<9, using: &random))
        }
      return (random.pick(Self.keys), value)
    }
  }

  @Test(arguments: Kind.allCases)
  func `many properties of one entity, written in one transaction equal their history`(kind: Kind)
    async throws
  {
    let scratch = try Scratch()
    let clock = TestClock()
    let backend = try await kind.open(scratch, clock: clock)
    let store = Store(backend: backend)
    var random = SplitMix64(seed: 25)
    let ids: [EntityID] = ["a", "b", "c"]
    try await store.create(
      "Wide",
      id: "a",
      Dictionary(uniqueKeysWithValues: Self.keys.map { ($0, .int(1)) })
    )
    try await store.create("Wide", id: "b")
    try await store.create("Wide", id: "c")
    for _ in 0..<4 {
      clock.advance(by: 1)
      let changes = changes(&random)
      let (erased, late) = (random.chance(30), random.chance(30))
      try await store.write { tx in
        for (index, change) in changes.enumerated() {
          let id = ids[index / 7 % 3]
          let type = index % 5 == 0 ? "label" : nil
          let time = late && index % 9 == 0 ? Date(timeIntervalSince1970: 1e9) : nil
          try await tx.set(id, change.key, change.value, semanticType: type, at: time)
          guard index % 50 == 0 else { continue }
          // What is read sees what was written.
          let read = try await tx.require(id)[change.key]
          #expect(read == change.value || time != nil, "\(change)")
          _ = try await tx.fetch(Query("Wide").where(.isMissing(Field(change.key))))
        }
        guard erased else { return }
        _ = try await tx.erase("b")
        try await tx.restore("b")
      }
    }
    try await backend.expectFold(ids, clock: clock)
    try await backend.close()
  }

  @Test func `leave no trace if the transaction fails`() async throws {
    let backend = try await openBackend()
    let store = Store(backend: backend)
    let values = Dictionary(uniqueKeysWithValues: Self.keys.map { ($0, Value.int(1)) })
    try await store.create("Wide", id: "a", values)
    let error = await failure {
      try await store.write { tx in
        for key in Self.keys { try await tx.set("a", key, 2) }
        try await tx.set("nobody", "x", 1)
      }
    }
    #expect(error?.code == .notFound)
    try await store.set("a", Self.keys[600], 3)
    let entity = try await store.require("a")
    for key in Self.keys { #expect(entity[key] == (key == Self.keys[600] ? 3 : 1)) }
    #expect(try await backend.findings() == [])
    try await backend.close()
  }
}
