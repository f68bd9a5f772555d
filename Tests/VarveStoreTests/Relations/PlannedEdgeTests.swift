import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// A write without a date goes just above what is stored for a future one, for relations and
/// elements as for values.
@Suite struct PlannedEdgeTests {
  /// A store in 2023 with two entities.
  private func store(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    for id in ["a", "b", "c"] as [EntityID] {
      try await store.create("node", id: id, at: .year(2010))
    }
    return store
  }

  @Test(arguments: Engine.allCases, [RelationKind.owns, .ownedBy, .free])
  func `a relation without a date begins above an end that lies in the future, as a value does`(
    engine: Engine,
    kind: RelationKind
  ) async throws {
    let store = try await store(engine)
    try await store.unrelate("a", kind, "b", at: .year(2030))
    try await store.remove("a", "k", at: .year(2030))
    try await store.relate("a", kind, "b")
    try await store.set("a", "k", 1)
    #expect(try await store.relatedIDs("a", kind) == ["b"])
    #expect(try await store.require("a")["k"] == 1)
    for year in [2028, 2031] {
      let past = try store.asOf(.year(year))
      #expect(try await past.relatedIDs("a", kind) == (year == 2028 ? [] : ["b"]))
      #expect(try await past.require("a")["k"] == (year == 2028 ? nil : 1))
    }
    #expect(try await store.undo(store.log(limit: 1, offset: 1)[0].id).skipped == [])
    #expect(try await store.relatedIDs("a", kind) == [])
    #expect(try await store.asOf(.year(2031)).relatedIDs("a", kind) == [])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `an end without a date lies above a relation that begins in the future, as a removal does`(
    engine: Engine
  ) async throws {
    let store = try await store(engine)
    try await store.relate("a", .owns, "b", at: .year(2012))
    try await store.relate("a", .owns, "b", at: .year(2030))
    try await store.set("a", "k", 1, at: .year(2012))
    try await store.set("a", "k", 1, at: .year(2030))
    try await store.unrelate("a", .owns, "b")
    try await store.remove("a", "k")
    #expect(try await store.relatedIDs("a", .owns) == [])
    #expect(try await store.require("a")["k"] == nil)
    #expect(try await store.asOf(.year(2028)).relatedIDs("a", .owns) == ["b"])
    #expect(try await store.asOf(.year(2028)).require("a")["k"] == 1)
    #expect(try await store.asOf(.year(2031)).relatedIDs("a", .owns) == [])
    #expect(try await store.asOf(.year(2031)).require("a")["k"] == nil)
  }

  @Test(arguments: Engine.allCases)
  func `a to-many property set without a date begins above what is stored for a future one`(
    engine: Engine
  ) async throws {
    let store = try await store(engine)
    try await store.setCollection("a", "l", to: ["b"], at: .year(2012))
    try await store.setCollection("a", "l", to: ["c"], at: .year(2030))
    try await store.setCollection("a", "l", to: ["b", "a"])
    #expect(try await store.collection(of: "a", "l") == ["b", "a"])
    #expect(try await store.asOf(.year(2028)).collection(of: "a", "l") == ["b"])
    #expect(try await store.asOf(.year(2031)).collection(of: "a", "l") == ["b", "a"])
    #expect(try await store.undo(store.log(limit: 1)[0].id).skipped == [])
    #expect(try await store.asOf(.year(2031)).collection(of: "a", "l") == ["c"])
  }

  @Test(arguments: Engine.allCases)
  func `an element added without a date begins above its end in the future`(
    engine: Engine
  ) async throws {
    let store = try await store(engine)
    try await store.setCollection("a", "l", to: ["b"], as: .set, at: .year(2012))
    try await store.removeFromCollection("a", "l", ["b"], at: .year(2030))
    try await store.addToCollection("a", "l", ["b", "c"], as: .set)
    #expect(try await store.collection(of: "a", "l", as: .set) == ["b", "c"])
    #expect(try await store.asOf(.year(2031)).collection(of: "a", "l", as: .set) == ["b", "c"])
    try await store.removeFromCollection("a", "l", ["b"])
    #expect(try await store.collection(of: "a", "l", as: .set) == ["c"])
    #expect(try await store.asOf(.year(2031)).collection(of: "a", "l", as: .set) == ["c"])
    #expect(try await store.asOf(.year(2028)).collection(of: "a", "l", as: .set) == ["b", "c"])
  }

  @Test(arguments: Engine.allCases)
  func `copies agree on a relation and on a concurrent end that both lie above a planned one`(
    engine: Engine
  ) async throws {
    let one = try await store(engine)
    try await one.unrelate("a", .owns, "b", at: .year(2030))
    let other = try await makeStore(engine)
    try await other.merge(from: one)
    try await one.relate("a", .owns, "b")
    try await other.relate("a", .owns, "b", at: .year(2032))
    try await other.unrelate("a", .owns, "b")
    let third = try await makeStore(engine)
    try await third.merge(from: other)
    try await third.merge(from: one)
    try await one.merge(from: other)
    for store in [one, third] {
      // Each removal ends only what its author had seen.
      #expect(try await store.relatedIDs("a", .owns) == ["b"])
      #expect(try await store.asOf(.year(2028)).relatedIDs("a", .owns) == [])
      #expect(try await store.asOf(.year(2031)).relatedIDs("a", .owns) == ["b"])
      #expect(try await store.check().findings == [])
    }
  }
}
