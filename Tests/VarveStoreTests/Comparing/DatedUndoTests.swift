import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// An undo of what was written for a time of its own changes what past states show.
@Suite struct DatedUndoTests {
  /// The newest commit, undone.
  private func undoLast(_ store: Store) async throws -> UndoReport {
    try await store.undo(store.log(limit: 1)[0].id)
  }

  @Test(arguments: Engine.allCases)
  func `undo of a past value restores the value before it in the past`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a", at: .test(-2_000))
    try await store.set("a", "k", 1, at: .test(-1_000))
    try await store.set("a", "k", 3, at: .test(-100))
    try await store.set("a", "k", 2, at: .test(-800))
    #expect(try await store.asOf(.test(-500)).require("a")["k"] == 2)
    let report = try await undoLast(store)
    #expect(report.properties.map(\.key) == ["k"])
    #expect(report.skipped.isEmpty)
    #expect(try await store.asOf(.test(-500)).require("a")["k"] == 1)
    #expect(try await store.require("a")["k"] == 3)
    #expect(try await undoLast(store).skipped.isEmpty)
    #expect(try await store.asOf(.test(-500)).require("a")["k"] == 2)
    #expect(try await store.asOf(.test(-900)).require("a")["k"] == 1)
  }

  @Test(arguments: Engine.allCases)
  func `undoing in reverse leaves nothing of a dated value that a later one had superseded`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    for (id, later) in [("a", nil), ("b", Date.test(-500))] as [(EntityID, Date?)] {
      try await store.create("Hat", id: id, at: .test(-2_000))
      try await store.set(id, "k", 1, at: .test(-1_000))
      let first = try await store.log(limit: 1)[0].id
      try await store.set(id, "k", 2, at: later)
      let second = try await store.log(limit: 1)[0].id
      _ = try await store.undo(second)
      #expect(try await store.require(id)["k"] == 1)
      let report = try await store.undo(first)
      #expect(report.skipped.isEmpty)
      #expect(try await store.require(id)["k"] == nil)
      #expect(try await store.asOf(.test(-700)).require(id)["k"] == nil)
      // Undoing both undos brings the value back.
      _ = try await undoLast(store)
      #expect(try await store.require(id)["k"] == 1)
      #expect(try await store.asOf(.test(-700)).require(id)["k"] == 1)
    }
  }

  @Test(arguments: Engine.allCases)
  func `a relation that was declared for a later date too is done again for that date`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    for id in ["x", "z"] as [EntityID] { try await store.create("Hat", id: id, at: .test(-2_000)) }
    try await store.relate("z", .free, "x", at: .test(-1_000))
    try await store.relate("z", .free, "x", at: .test(-500))
    #expect(try await undoLast(store).skipped.isEmpty)
    #expect(try await undoLast(store).skipped.isEmpty)
    try await store.unrelate("z", .free, "x", at: .test(-800))
    #expect(try await store.asOf(.test(-900)).relatedIDs("z", .free) == ["x"])
    #expect(try await store.asOf(.test(-600)).relatedIDs("z", .free) == [])
    #expect(try await store.asOf(.test(-400)).relatedIDs("z", .free) == ["x"])
    #expect(try await store.relatedIDs("z", .free) == ["x"])
  }

  @Test(arguments: Engine.allCases)
  func `undo of the first dated value leaves none, and of a future value the present one`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a", at: .test(-2_000))
    try await store.set("a", "k", 2, at: .test(-800))
    _ = try await undoLast(store)
    #expect(try await store.asOf(.test(-500)).require("a")["k"] == nil)
    #expect(try await store.require("a")["k"] == nil)
    try await store.set("a", "k", 1)
    try await store.set("a", "k", 5, at: .test(5_000))
    _ = try await undoLast(store)
    #expect(try await store.asOf(.test(6_000)).require("a")["k"] == 1)
    #expect(try await store.require("a")["k"] == 1)
  }

  @Test(arguments: Engine.allCases)
  func `undo of a dated value that a later commit wrote for the same time is skipped`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a", at: .test(-2_000))
    try await store.set("a", "k", 1, at: .test(-800))
    let first = try await store.log(limit: 1)[0].id
    try await store.as("ana").set("a", "k", 2, at: .test(-800))
    let report = try await store.undo(first)
    #expect(report.skipped.map(\.reason) == [.changedSince])
    #expect(report.skipped.first?.changedBy?.author == "ana")
    #expect(try await store.asOf(.test(-500)).require("a")["k"] == 2)
  }

  @Test(arguments: Engine.allCases, [RelationKind.owns, .free])
  func `undo of a dated relation, and of its end, changes the past`(
    engine: Engine,
    kind: RelationKind
  ) async throws {
    let store = try await makeStore(engine)
    for id in ["a", "b"] as [EntityID] { try await store.create("Hat", id: id, at: .test(-2_000)) }
    try await store.relate("a", kind, "b", at: .test(-1_000))
    #expect(try await undoLast(store).skipped.isEmpty)
    #expect(try await store.asOf(.test(-500)).relatedIDs("a", kind) == [])
    #expect(try await undoLast(store).skipped.isEmpty)
    #expect(try await store.asOf(.test(-500)).relatedIDs("a", kind) == ["b"])
    try await store.unrelate("a", kind, "b", at: .test(-800))
    #expect(try await store.asOf(.test(-500)).relatedIDs("a", kind) == [])
    #expect(try await undoLast(store).skipped.isEmpty)
    #expect(try await store.asOf(.test(-500)).relatedIDs("a", kind) == ["b"])
    #expect(try await store.relatedIDs("a", kind) == ["b"])
  }

  @Test(arguments: Engine.allCases)
  func `undo of a dated creation, and of a dated erasure, changes the past`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a", at: .test(-1_000))
    #expect(try await undoLast(store).erased == ["a"])
    #expect(try await store.asOf(.test(-500)).entity("a") == nil)
    #expect(try await undoLast(store).restored == ["a"])
    #expect(try await store.asOf(.test(-500)).entity("a") != nil)
    try await store.erase("a", at: .test(-800))
    #expect(try await store.asOf(.test(-500)).entity("a") == nil)
    #expect(try await undoLast(store).restored == ["a"])
    #expect(try await store.asOf(.test(-500)).entity("a") != nil)
  }

  @Test(arguments: Engine.allCases)
  func `undo of a to-many property set for a past date restores its elements in the past`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    for id in ["t", "a", "b", "c"] as [EntityID] {
      try await store.create("Hat", id: id, at: .test(-2_000))
    }
    try await store.setCollection("t", "x", to: ["a", "b"], at: .test(-1_000))
    try await store.setCollection("t", "x", to: ["a", "b", "c"], at: .test(-100))
    try await store.setCollection("t", "x", to: ["b", "c"], at: .test(-800))
    #expect(try await store.asOf(.test(-500)).collection(of: "t", "x") == ["b", "c"])
    #expect(try await undoLast(store).skipped.isEmpty)
    #expect(try await store.asOf(.test(-500)).collection(of: "t", "x") == ["a", "b"])
    #expect(try await store.asOf(.test(-900)).collection(of: "t", "x") == ["a", "b"])
    #expect(try await store.collection(of: "t", "x") == ["a", "b", "c"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `undoing the undo of a passing death brings the death back, and nothing later`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "past", at: .test(-2_000))
    // The death and the return of what begins later are later still.
    try await store.create("Hat", id: "later", at: .test(1))
    try await store.write { tx in
      try await tx.erase("past", at: .test(-1_000))
      try await tx.restore("past", .asRoot, at: .test(-500))
      try await tx.erase("later")
      try await tx.restore("later", .asRoot)
    }
    for isDead in [false, true, false, true] {
      let report = try await undoLast(store)
      #expect(report.skipped.isEmpty)
      #expect(Set(try await store.allIDs()) == ["past", "later"])
      #expect(try await store.asOf(.test(-700)).allIDs() == (isDead ? [] : ["past"]))
      #expect(try await store.asOf(.test(-300)).allIDs() == ["past"])
      #expect(try await store.asOf(.test(-1_500)).allIDs() == ["past"])
    }
    #expect(try await store.check().findings == [])
  }
}
