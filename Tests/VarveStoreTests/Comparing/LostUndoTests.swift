import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// The report of an undo lists the values that it cannot restore.
@Suite struct LostUndoTests {
  private func undoLast(_ store: Store) async throws -> UndoReport {
    try await store.undo(store.log(limit: 1)[0].id)
  }

  @Test(arguments: Engine.allCases)
  func `undo of creating an entity anew names the former life, which does not return`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("Shop", id: "b")
    try await store.create("Hat", id: "c")
    try await store.relate("b", .owns, "c")
    try await store.erase("b")
    try await store.create("Hat", id: "c")
    let report = try await undoLast(store)
    #expect(report.erased == ["c"])
    #expect(report.skipped.map(\.reason) == [.createdAnew])
    #expect(report.skipped.map(\.entity) == ["c"])
    #expect(try await store.entity("c") == nil)
    #expect(try await undoLast(store).skipped == [])
    #expect(try await store.entity("c") != nil)
  }

  @Test(arguments: Engine.allCases, [nil, Date(timeIntervalSince1970: 86_400)])
  func `undo gives back no value that the commit of a re-creation wrote to the former life`(
    engine: Engine,
    date: Date?
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "c")
    try await store.write { tx in
      try await tx.set("c", "name", 3)
      try await tx.erase("c")
      try await tx.create("Cap", id: "c", ["size": 1], at: date)
      try await tx.set("c", "color", "red")
    }
    try await store.set("c", "name", "owl")
    _ = try await undoLast(store)
    #expect(try await store.require("c")["name"] == nil)
    // What it wrote to the new life comes back.
    for (key, value) in [("size", 1), ("color", "red")] as [(PropertyKey, Value)] {
      try await store.set("c", key, "other")
      _ = try await undoLast(store)
      #expect(try await store.require("c")[key] == value)
    }
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `undo of a value whose earlier one was compacted keeps it and says so`(
    engine: Engine
  ) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.create("Hat", id: "a", ["size": 1])
    try await store.set("a", "size", 2)
    let written = try await store.log(limit: 1)[0].id
    try await store.set("a", "color", "red")
    let untouched = try await store.log(limit: 1)[0].id
    clock.advance(by: 10)
    #expect(try await store.compact(keeping: .milliseconds(1)).commit != nil)
    let report = try await store.undo(written)
    #expect(report.skipped.map(\.reason) == [.compacted])
    #expect(report.skipped.map(\.key) == ["size"])
    #expect(report.properties == [] && report.commit == nil)
    #expect(try await store.require("a")["size"] == 2)
    // Values that no compaction folded are undone as usual, and so are later values.
    #expect(try await store.undo(untouched).skipped == [])
    #expect(try await store.require("a")["color"] == nil)
    try await store.set("a", "size", 3)
    #expect(try await undoLast(store).skipped == [])
    #expect(try await store.require("a")["size"] == 2)
  }

  @Test(arguments: Engine.allCases)
  func `undo of making a property to-many after its value was compacted keeps it to-many`(
    engine: Engine
  ) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    for id in ["a", "b"] as [EntityID] { try await store.create("Hat", id: id) }
    try await store.set("a", "x", 1)
    try await store.setCollection("a", "x", to: ["b"])
    let written = try await store.log(limit: 1)[0].id
    clock.advance(by: 10)
    try await store.compact(keeping: .milliseconds(1))
    let report = try await store.undo(written)
    #expect(report.skipped.map(\.reason) == [.compacted])
    #expect(try await store.collection(of: "a", "x") != nil)
  }

  @Test(arguments: Engine.allCases)
  func `an undo names an ownership by a former life that it cannot give back`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("owner", "owned")
    try await store.own(("owner", "owned"))
    try await store.erase("owner")
    try await store.create("node", id: "owner")
    #expect(try await store.entity("owned") == nil)
    let (_, restoring) = try await store.commit(as: .write) {
      try await $0.restore("owned", .asRoot)
    }
    let report = try await store.undo(try #require(restoring).id)
    #expect(report.skipped.map(\.reason) == [.createdAnew])
    #expect(report.skipped.first?.edge?.target == "owned")
    #expect(try await store.entity("owned") != nil)
    #expect(try await store.check().findings.isEmpty)
  }
}
