import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// An undo of an owner's creation leaves alive what it owned before it was created.
@Suite struct UndoneOwnerTests {
  private func undoLast(_ store: Store) async throws -> UndoReport {
    try await store.undo(store.log(limit: 1)[0].id)
  }

  @Test(arguments: Engine.allCases)
  func `undoing the creation of an owner keeps what it owns through an unknown identifier`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("child")
    try await store.own(("mid", "child"), ("boss", "mid"))
    try await store.createNodes("boss")
    let preview = try await store.previewErasure(of: ["boss"])
    #expect(preview.deaths.map(\.id) == ["boss", "child"])
    #expect(preview.deaths.map(\.owners) == [[], ["mid"]])
    let report = try await undoLast(store)
    #expect(report.erased == ["boss"])
    #expect(report.unrelated.map(\.target) == ["mid"])
    #expect(try await store.live("child", "boss") == ["child"])
    // The undo of the undo gives the owner its ownership back.
    _ = try await undoLast(store)
    #expect(try await store.erase("boss") == ["boss", "child"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `a preview lists what stays alive although an unknown identifier owned by the dying owns it`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("boss", "other", "child", "sunk")
    try await store.own(("boss", "mid"), ("mid", "child"), ("other", "child"))
    let preview = try await store.previewErasure(of: ["boss"])
    #expect(preview.deaths.map(\.id) == ["boss"])
    #expect(preview.survivors.map(\.id) == ["child"])
    #expect(preview.survivors.map(\.owners) == [["other"]])
  }

  @Test(arguments: Engine.allCases, [nil, -300, -200, -100] as [Double?])
  func `undoing the dated creation of an owner leaves what it owned in past states`(
    engine: Engine,
    owned: Double?
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("node", id: "child", at: .test(-300))
    try await store.relate("boss", .owns, "child", at: owned.map(Date.test))
    try await store.create("node", id: "boss", at: .test(-200))
    let report = try await undoLast(store)
    #expect(report.skipped.isEmpty)
    for date in [-200, -150, -50].map(Date.test) {
      #expect(try await store.asOf(date).allIDs() == ["child"])
    }
    #expect(try await store.allIDs() == ["child"])
    _ = try await undoLast(store)
    #expect(try await store.asOf(.test(-50)).allIDs() == ["child", "boss"])
    #expect(try await store.relatedIDs("boss", .owns) == ["child"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `undoing the dated creation of an owner leaves what it owned for a time only`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("node", id: "child", at: .test(-300))
    try await store.relate("boss", .owns, "child", at: .test(-300))
    try await store.unrelate("boss", .owns, "child", at: .test(-100))
    try await store.create("node", id: "boss", at: .test(-200))
    #expect(try await undoLast(store).skipped.isEmpty)
    #expect(try await store.asOf(.test(-150)).allIDs() == ["child"])
    #expect(try await store.allIDs() == ["child"])
  }

  @Test(arguments: Engine.allCases)
  func `undoing a commit that created and erased an owner revives what died with it`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("child")
    try await store.own(("boss", "child"))
    try await store.write { tx in
      try await tx.create("node", id: "boss")
      try await tx.erase("boss")
    }
    #expect(try await store.live("child") == [])
    let report = try await undoLast(store)
    #expect(report.restored == ["child"])
    #expect(try await store.live("child", "boss") == ["child"])
    _ = try await undoLast(store)
    #expect(try await store.live("child") == [])
  }

  @Test(arguments: Engine.allCases)
  func `an undone creation does not return when an owner of before is restored`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("top")
    try await store.own(("top", "boss"))
    try await store.erase("top")
    try await store.createNodes("boss")
    #expect(try await store.live("boss") == ["boss"])
    _ = try await undoLast(store)
    #expect(try await store.status(of: "boss") == .erased)
    #expect(try await store.restore("top") == ["top"])
    #expect(try await store.live("top", "boss") == ["top"])
  }

  @Test(arguments: Engine.allCases)
  func `an undone restore does not return when an owner of before is restored`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("top", "a")
    try await store.own(("top", "a"))
    try await store.erase("a")
    try await store.erase("top")
    try await store.restore("a", .asRoot)
    #expect(try await undoLast(store).skipped.isEmpty)
    #expect(try await store.status(of: "a") == .erased)
    #expect(try await store.restore("top") == ["top"])
  }

  @Test(arguments: Engine.allCases)
  func `a later value of what an owner owned before does not keep the owner`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("child")
    try await store.own(("boss", "child"))
    try await store.createNodes("boss")
    let creation = try await store.log(limit: 1)[0].id
    try await store.set("child", "k", 1)
    let report = try await store.undo(creation)
    #expect(report.skipped.isEmpty)
    #expect(try await store.live("child", "boss") == ["child"])
  }

  @Test(arguments: Engine.allCases)
  func `a new life with a date begins after the entity died with its owner`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    for id in ["owner", "a"] as [EntityID] {
      try await store.create("node", id: id, ["k": 1], at: .test(-400))
    }
    try await store.relate("owner", .owns, "a", at: .test(-400))
    try await store.erase("owner", at: .test(-100))
    try await store.create("other", id: "a", ["k": 2], at: .test(-300))
    #expect(try await store.require("a").datestamp == (try HybridTime(.test(-300))))
    #expect(try await store.asOf(.test(-200)).require("a")["k"] == 1)
    #expect(try await store.asOf(.test(-50)).require("a")["k"] == 2)
    let report = try await undoLast(store)
    #expect(report.erased == ["a"])
    #expect(report.skipped.map(\.reason) == [.createdAnew])
    #expect(try await store.asOf(.test(-200)).require("a")["k"] == 1)
    #expect(try await store.asOf(.test(-50)).entity("a") == nil)
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `the undo of a commit that created an entity anew and erased it names the lost life`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a")
    for isErasedBefore in [false, true] {
      if isErasedBefore { try await store.erase("a") } else { try await store.restore("a") }
      try await store.write { tx in
        try await tx.erase("a")
        try await tx.create("other", id: "a")
        try await tx.erase("a")
      }
      let report = try await undoLast(store)
      #expect(report.skipped.map(\.reason) == [.createdAnew])
      #expect(try await store.status(of: "a") == .erased)
    }
  }

  @Test(arguments: Engine.allCases)
  func `undoing a commit that erased and restored an entity for dates leaves it alive between`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("node", id: "a", at: .test(-400))
    try await store.write { tx in
      try await tx.erase("a", at: .test(-300))
      try await tx.restore("a", at: .test(-100))
    }
    #expect(try await store.asOf(.test(-200)).entity("a") == nil)
    #expect(try await undoLast(store).skipped.isEmpty)
    #expect(try await store.asOf(.test(-200)).entity("a") != nil)
    #expect(try await store.live("a") == ["a"])
  }

  @Test(arguments: Engine.allCases, [nil, -200] as [Double?])
  func `undoing a commit that owned with a life and then began another revives what was owned`(
    engine: Engine,
    related: Double?
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("node", id: "owner", at: .test(-400))
    try await store.create("node", id: "child", at: .test(-400))
    try await store.erase("owner")
    let outlook = try await store.asOf(.test(-100)).allIDs()
    try await store.write { tx in
      try await tx.restore("owner", .asRoot)
      try await tx.relate("owner", .owns, "child", at: related.map(Date.test))
      try await tx.erase("owner")
      try await tx.create("other", id: "owner")
    }
    #expect(try await store.live("owner", "child") == ["owner"])
    let report = try await undoLast(store)
    #expect(report.skipped.isEmpty)
    #expect(report.erased == ["owner"])
    #expect(report.unrelated.map(\.target) == ["child"])
    #expect(try await store.live("owner", "child") == ["child"])
    #expect(try await store.asOf(.test(-100)).allIDs() == outlook)
    #expect(try await store.check().findings == [])
    // An ownership of a former life cannot be declared again.
    let again = try await undoLast(store)
    #expect(again.skipped.map(\.reason) == [.createdAnew])
    #expect(try await store.live("owner", "child") == ["owner", "child"])
  }

  @Test(arguments: Engine.allCases, [nil, -300, 3_600] as [Double?])
  func `undoing the creation of an owner keeps what another owner died without`(
    engine: Engine,
    owned: Double?
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("node", id: "child", at: .test(-400))
    try await store.create("node", id: "other", at: .test(-400))
    try await store.relate("boss", .owns, "child", at: owned.map(Date.test))
    try await store.relate("other", .owns, "child")
    try await store.erase("other")
    #expect(try await store.live("child", "other") == ["child"])
    try await store.createNodes("boss")
    #expect(try await undoLast(store).skipped.isEmpty)
    #expect(try await store.live("child", "other", "boss") == ["child"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases, [nil, 3_600] as [Double?])
  func `undoing the creation of an owner leaves dead what it freed from a circle`(
    engine: Engine,
    owned: Double?
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("other", "child", "free")
    try await store.own(("other", "child"))
    for (owner, target) in [("boss", "child"), ("boss", "free"), ("child", "boss")] {
      try await store.relate(
        EntityID(unchecked: owner),
        .owns,
        EntityID(unchecked: target),
        at: owned.map(Date.test)
      )
    }
    try await store.erase("other")
    #expect(try await store.live("child", "free") == [])
    try await store.createNodes("boss")
    #expect(try await store.live("child", "free", "boss") == ["child", "free", "boss"])
    let report = try await undoLast(store)
    #expect(report.erased.sorted() == ["boss", "child", "free"])
    #expect(try await store.live("child", "free", "boss") == [])
    #expect(try await store.check().findings == [])
    try await store.restore("other")
    #expect(try await store.live("other", "child", "boss") == ["other", "child"])
  }

  @Test(arguments: Engine.allCases)
  func `undoing the restore of an entity as a root leaves dead what it freed from a circle`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("top", "a", "b")
    try await store.own(("top", "b"), ("b", "a"), ("a", "b"))
    try await store.erase("top")
    try await store.restore("a", .asRoot)
    #expect(try await store.live("a", "b") == ["a", "b"])
    let report = try await undoLast(store)
    #expect(report.skipped.isEmpty)
    #expect(report.related.map(\.source) == ["b"])
    #expect(try await store.live("a", "b") == [])
    #expect(try await store.check().findings == [])
    _ = try await undoLast(store)
    #expect(try await store.live("a", "b") == ["a", "b"])
  }
}
