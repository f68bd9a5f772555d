import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Some values of an entity")
struct SomeValuesTests {
  @Test(arguments: Engine.allCases)
  func `some values of an entity are those of the state that is read`(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.create("hats", id: "h", ["color": "red", "size": 7])
    let then = try await store.frontier()
    clock.advance(by: 1_000)
    try await store.write { tx in
      try await tx.set("h", "color", "blue")
      try await tx.remove("h", "size")
    }
    #expect(try await store.values(of: "h", ["size", "color"]) == [nil, "blue"])
    #expect(try await store.asOf(then).values(of: "h", ["size", "color"]) == [7, "red"])
    #expect(try await store.values(of: "unknown", ["size"]) == nil)
    try await store.erase("h")
    #expect(try await store.values(of: "h", ["size"]) == nil)
    #expect(try await store.asOf(then).values(of: "h", ["size"]) == [7])
  }

  @Test(arguments: Engine.allCases)
  func `some values of an entity are typed by the model's properties, then and now`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.create("hats", id: "h", ["color": "red", "brim_size": 9])
    let then = store.asOf(try await store.frontier())
    try await store.set("h", "color", "blue")
    let id = Identifier<Hat>("h")
    let now = try await store.values(of: id, \.color, \.brimSize)
    #expect(now?.0 == "blue" && now?.1 == 9)
    let past = try await then.values(of: id, \.color, \.brimSize)
    #expect(past?.0 == "red" && past?.1 == 9)
    let color: String? = try await then.values(of: id, \.color)
    #expect(color == "red")
    // A model that cannot be read has values that can.
    try await store.create("hats", id: "odd", ["color": 1, "brim_size": 8])
    let odd = Identifier<Hat>("odd")
    #expect(try await store.values(of: odd, \.brimSize, \.createdAt)?.0 == 8)
    let error = await failure { _ = try await store.values(of: odd, \.color) }
    #expect(error?.code == .fieldType && error?.property == "color")
    #expect(try await then.values(of: Identifier<Hat>("no"), \.color, \.shop) == nil)
    try await store.create("other", id: "o", ["color": "red"])
    #expect(try await store.values(of: Identifier<Hat>("o"), \.color, \.shop) == nil)
  }
}
