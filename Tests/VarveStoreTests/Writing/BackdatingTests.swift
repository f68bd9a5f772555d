import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Values backdated in one write with later ones")
struct BackdatingTests {
  private let past = Date(timeIntervalSince1970: 1_500_000_000)

  @Test(arguments: Engine.allCases)
  func `values backdated in one write with later ones do not hide them, in a new store`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      try await tx.create("Hat", id: "created", ["size": 1])
      try await tx.set("created", "size", 2, at: past)
      try await tx.create("Hat", id: "set")
      try await tx.set("set", "size", 1)
      try await tx.set("set", "size", 2, at: past)
    }
    for id in ["created", "set"] as [EntityID] {
      #expect(try await store.require(id)["size"] == 1)
      #expect(try await store.history(of: id, "size").map(\.value) == [1, 2])
    }
    #expect(try await store.check().findings == [])
    // A copy has the same history.
    let copy = try await makeStore(engine)
    try await copy.merge(from: store)
    #expect(try await copy.require("created")["size"] == 1)
    #expect(try await copy.require("set")["size"] == 1)
  }
}
