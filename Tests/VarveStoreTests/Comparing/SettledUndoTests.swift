import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Undoing a commit that settled a conflict, or that did the same as another replica's commit.
@Suite struct SettledUndoTests {
  private let clock = TestClock()

  private func pair(_ engine: Engine) async throws -> (Store, Store) {
    let (one, two) = (
      try await makeStore(engine, clock: clock), try await makeStore(engine, clock: clock)
    )
    try await one.create("Hat", id: "hat", ["color": "white"])
    try await sync(one, two)
    return (one, two)
  }

  private func sync(_ one: Store, _ two: Store) async throws {
    clock.advance(by: 5)
    try await two.merge(from: one)
    try await one.merge(from: two)
    clock.advance(by: 5)
  }

  @Test(arguments: Engine.allCases)
  func
    `undo of a settled death leaves the entity erased, and reports that the conflict stays settled`(
      engine: Engine
    ) async throws
  {
    let (one, two) = try await pair(engine)
    try await one.erase("hat")
    let erased = try await one.log(limit: 1)[0].id
    try await two.set("hat", "color", "red")
    try await sync(one, two)
    try await one.resolve(try #require(try await one.conflicts().first), by: .death)
    let settled = try await one.log(limit: 1)[0].id
    let report = try await one.undo(settled)
    #expect(report.restored.isEmpty)
    #expect(report.skipped.map(\.reason) == [.conflictSettled])
    #expect(try await one.entity("hat") == nil)
    #expect(try await one.status(of: "hat") == .erased)
    // The commit that settled the conflict is undone, so the erasure can be undone too.
    #expect(try await one.undo(erased).restored == ["hat"])
    #expect(try await one.require("hat")["color"] == "red")
  }

  @Test(arguments: Engine.allCases)
  func `undo of a restore that settled a death erases, and reports that the conflict stays settled`(
    engine: Engine
  ) async throws {
    let (one, two) = try await pair(engine)
    try await one.erase("hat")
    try await two.set("hat", "color", "red")
    try await sync(one, two)
    let conflict = try #require(try await one.conflicts().first)
    try await one.resolve(conflict, by: .restoring(.ifOwned))
    let report = try await one.undo(one.log(limit: 1)[0].id)
    #expect(report.erased == ["hat"])
    #expect(report.skipped.map(\.reason) == [.conflictSettled])
    #expect(try await one.conflicts() == [])
  }

  @Test(arguments: Engine.allCases, [0, 1])
  func
    `undo of a settled value restores the earlier one, and reports that the conflict stays settled`(
      engine: Engine,
      version: Int
    ) async throws
  {
    let (one, two) = try await pair(engine)
    try await one.set("hat", "color", "red")
    clock.advance(by: 5)
    try await two.set("hat", "color", "blue")
    try await sync(one, two)
    let conflict = try #require(try await one.conflicts().first)
    try await one.resolve(conflict, by: .version(version))
    let report = try await one.undo(one.log(limit: 1)[0].id)
    #expect(report.properties.map(\.key) == ["color"])
    #expect(report.skipped.map(\.reason) == [.conflictSettled])
    #expect(report.skipped.first?.key == "color")
    #expect(try await one.require("hat")["color"] == "blue")
    // A write whose author had seen only one version settles no conflict.
    try await one.set("hat", "color", "green")
    #expect(try await one.undo(one.log(limit: 1)[0].id).skipped.isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `undo of an erasure leaves erased an entity that another replica erased too`(
    engine: Engine
  ) async throws {
    let (one, two) = try await pair(engine)
    try await one.as("ana").erase("hat")
    clock.advance(by: 5)
    try await two.erase("hat")
    let own = try await two.log(limit: 1)[0].id
    try await sync(one, two)
    let report = try await two.undo(own)
    #expect(report.restored.isEmpty)
    #expect(report.skipped.map(\.reason) == [.doneByAnother])
    #expect(report.skipped.first?.changedBy?.author == "ana")
    #expect(try await two.entity("hat") == nil)
  }

  @Test(arguments: Engine.allCases)
  func `undo of a creation leaves an entity that another replica created too, without its values`(
    engine: Engine
  ) async throws {
    let (one, two) = try await pair(engine)
    try await one.create("Hat", id: "cap", ["color": "red"])
    clock.advance(by: 5)
    try await two.create("Hat", id: "cap", ["color": "blue", "size": 1])
    let own = try await two.log(limit: 1)[0].id
    try await sync(one, two)
    let report = try await two.undo(own)
    #expect(report.erased.isEmpty)
    #expect(report.skipped.map(\.reason) == [.doneByAnother])
    #expect(try await two.require("cap")["color"] == "red")
    #expect(try await two.require("cap")["size"] == nil)
  }

  @Test(arguments: Engine.allCases)
  func `undo erases a created entity, although another owned it before it was known`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a")
    try await store.relate("a", .owns, "b")
    try await store.createNodes("b")
    let report = try await store.undo(store.log(limit: 1)[0].id)
    #expect(report.erased == ["b"])
    #expect(report.skipped.isEmpty)
    #expect(try await store.live("a", "b") == ["a"])
    try await store.undo(store.log(limit: 1)[0].id)
    #expect(try await store.relatedIDs("a", .owns) == ["b"])
  }

  @Test(arguments: Engine.allCases)
  func `undo of the creation of an owner keeps alive the entities it owned before it was known`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("c")
    try await store.relate("b", .owns, "c")
    try await store.createNodes("b")
    let report = try await store.undo(store.log(limit: 1)[0].id)
    #expect(report.erased == ["b"])
    #expect(report.unrelated.map(\.target) == ["c"])
    #expect(try await store.live("b", "c") == ["c"])
    try await store.undo(store.log(limit: 1)[0].id)
    #expect(try await store.live("b", "c") == ["b", "c"])
    #expect(try await store.relatedIDs("b", .owns) == ["c"])
  }
}
