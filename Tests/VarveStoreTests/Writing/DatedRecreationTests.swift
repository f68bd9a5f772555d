import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Values of a new life never appear in the former one.
@Suite struct DatedRecreationTests {
  /// A store with an entity that was erased and created anew for an earlier date.
  private func store(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    try await store.create("T", id: "a", ["y": 0], at: .year(2018))
    try await store.create("T", id: "b", at: .year(2018))
    try await store.erase("a")
    try await store.create("U", id: "a", ["x": "new"], at: .year(2023))
    return store
  }

  private func expectFormerLife(in store: Store) async throws {
    let former = try await store.asOf(.year(2023) + 86_400).require("a")
    #expect(former.type == "T" && former["x"] == nil && former["y"] == 0)
  }

  @Test(arguments: Engine.allCases)
  func `an entity created anew for an earlier date has its values in its new life only`(
    engine: Engine
  ) async throws {
    let store = try await store(engine)
    let present = try await store.require("a")
    #expect(present.type == "U" && present["x"] == "new" && present["y"] == nil)
    #expect(present.datestamp == (try HybridTime(.year(2023))))
    try await expectFormerLife(in: store)
    let report = try await store.undo(store.log(limit: 1)[0].id)
    #expect(report.erased == ["a"])
    try await expectFormerLife(in: store)
    #expect(try await store.entity("a") == nil)
    _ = try await store.undo(store.log(limit: 1)[0].id)
    #expect(try await store.require("a")["x"] == "new")
    try await expectFormerLife(in: store)
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `many entities created anew for an earlier date have their values in their new lives`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("T", id: "a", at: .year(2018))
    try await store.erase("a")
    try await store.write { tx in
      let rows: [(EntityID, [Value?])] = [("a", ["new"])]
      try await tx.create("U", keys: ["x"], rows: rows, at: .year(2023))
    }
    #expect(try await store.require("a")["x"] == "new")
    let former = try await store.asOf(.year(2023) + 86_400).require("a")
    #expect(former.type == "T" && former["x"] == nil)
  }

  @Test(arguments: Engine.allCases)
  func `a write dated before the re-creation of an entity is refused, and nothing is written`(
    engine: Engine
  ) async throws {
    let store = try await store(engine)
    let (date, before) = (Date.year(2023) + 86_400, try await store.log().count)
    let writes: [(WriteTransaction) async throws -> Void] = [
      { try await $0.set("a", "x", 1, at: date) },
      { try await $0.remove("a", "x", at: date) },
      { try await $0.update("a", properties: ["x": .init(.int(1))], at: date) },
      { try await $0.setCollection("a", "l", to: ["b"], at: date) },
      { try await $0.addToCollection("a", "l", ["b"], at: date) },
      { try await $0.removeFromCollection("a", "l", ["b"], at: date) },
      { try await $0.relate("a", .free, "b", at: date) },
      { try await $0.relate("a", .ownedBy, "b", at: date) },
      { try await $0.unrelate("a", .owns, "b", at: date) },
    ]
    for write in writes {
      let error = await failure { try await store.write { try await write($0) } }
      #expect(error?.code == .invalidArgument)
    }
    #expect(try await store.log().count == before)
    try await expectFormerLife(in: store)
    // A relation that does not depend on the target's life may be dated before it.
    try await store.relate("b", .free, "a", at: date)
    try await store.set("b", "x", 1, at: date)
  }

  @Test(arguments: Engine.allCases)
  func `an entity erased, created anew and written to in one dated transaction has the last value`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("T", id: "a", at: .year(2018))
    try await store.write(at: .year(2023)) { tx in
      try await tx.erase("a")
      try await tx.create("U", id: "a", ["x": 1])
      try await tx.set("a", "x", 2)
      try await tx.setCollection("a", "l", to: ["a"])
    }
    let present = try await store.require("a")
    #expect(present.type == "U" && present["x"] == 2)
    #expect(try await store.asOf(.year(2023)).require("a")["x"] == 2)
    #expect(try await store.asOf(.year(2023)).collection(of: "a", "l") == ["a"])
    #expect(try await store.asOf(.year(2022)).require("a")["x"] == nil)
  }

  @Test(arguments: Engine.allCases)
  func `copies merged in any order agree on a dated re-creation and a concurrent write`(
    engine: Engine
  ) async throws {
    let one = try await makeStore(engine)
    try await one.create("T", id: "a", ["y": 0], at: .year(2018))
    let other = try await makeStore(engine)
    try await other.merge(from: one)
    try await one.erase("a")
    try await one.create("U", id: "a", ["x": "new"], at: .year(2023))
    try await other.set("a", "z", 1, at: .year(2022))
    let third = try await makeStore(engine)
    try await third.merge(from: one)
    try await third.merge(from: other)
    try await one.merge(from: other)
    for store in [one, third] {
      let former = try await store.asOf(.year(2023) + 86_400).require("a")
      #expect(former.type == "T" && former["x"] == nil && former["y"] == 0 && former["z"] == 1)
      #expect(try await store.require("a")["x"] == "new")
      #expect(try await store.check().findings == [])
    }
  }
}
