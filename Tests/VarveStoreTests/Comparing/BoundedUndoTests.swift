import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Undoes changes that end at later statements, and undoes these undos.
@Suite struct BoundedUndoTests {
  private func store(_ engine: Engine, _ ids: EntityID...) async throws -> Store {
    let store = try await makeStore(engine)
    try await store.write(at: .year(2010)) { tx in
      for id in ids { try await tx.create("node", id: id) }
    }
    return store
  }

  /// Undoes the newest commit; expects that nothing is skipped.
  private func undoLast(
    _ store: Store,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let report = try await store.undo(store.log(limit: 1)[0].id)
    #expect(report.skipped == [], sourceLocation: sourceLocation)
  }

  @Test(arguments: Engine.allCases, [RelationKind.owns, .ownedBy, .free])
  func `a relation that a later statement ends comes back with its end if its undo is undone`(
    engine: Engine,
    kind: RelationKind
  ) async throws {
    let store = try await store(engine, "a", "b")
    try await store.unrelate("a", kind, "b", at: .year(2014))
    try await store.relate("a", kind, "b", at: .year(2012))
    for _ in 0..<2 {
      #expect(try await store.asOf(.year(2013)).relatedIDs("a", kind) == ["b"])
      #expect(try await store.asOf(.year(2015)).relatedIDs("a", kind) == [])
      try await undoLast(store)
      #expect(try await store.asOf(.year(2013)).relatedIDs("a", kind) == [])
      #expect(try await store.relatedIDs("a", kind) == [])
      try await undoLast(store)
    }
    #expect(try await store.asOf(.year(2013)).relatedIDs("a", kind) == ["b"])
    #expect(try await store.asOf(.year(2011)).relatedIDs("a", kind) == [])
    #expect(try await store.relatedIDs("a", kind) == [])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `a list that a later statement empties comes back with its end if its undo is undone`(
    engine: Engine
  ) async throws {
    let store = try await store(engine, "l", "q1")
    try await store.setCollection("l", "list", to: [], at: .year(2014))
    try await store.setCollection("l", "list", to: ["q1"], at: .year(2012))
    for _ in 0..<2 {
      #expect(try await store.asOf(.year(2013)).collection(of: "l", "list") == ["q1"])
      #expect(try await store.asOf(.year(2015)).collection(of: "l", "list") == [])
      try await undoLast(store)
      #expect(try await store.asOf(.year(2013)).collection(of: "l", "list") == nil)
      #expect(try await store.collection(of: "l", "list") == [])
      try await undoLast(store)
    }
    #expect(try await store.asOf(.year(2013)).collection(of: "l", "list") == ["q1"])
    #expect(try await store.collection(of: "l", "list") == [])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `a list set between two others gives back the elements that a later statement ends`(
    engine: Engine
  ) async throws {
    let store = try await store(engine, "l", "a", "b", "c")
    try await store.setCollection("l", "list", to: ["a", "b"], at: .year(2011))
    try await store.setCollection("l", "list", to: ["a", "c"], at: .year(2015))
    try await store.setCollection("l", "list", to: ["c", "a"], at: .year(2018))
    try await store.setCollection("l", "list", to: ["b"], at: .year(2013))
    func expect(at2014 elements: [EntityID]) async throws {
      #expect(try await store.asOf(.year(2012)).collection(of: "l", "list") == ["a", "b"])
      #expect(try await store.asOf(.year(2014)).collection(of: "l", "list") == elements)
      #expect(try await store.asOf(.year(2016)).collection(of: "l", "list") == ["a", "c"])
      #expect(try await store.collection(of: "l", "list") == ["c", "a"])
    }
    for _ in 0..<3 {
      try await expect(at2014: ["b"])
      try await undoLast(store)
      try await expect(at2014: ["a", "b"])
      try await undoLast(store)
    }
    try await expect(at2014: ["b"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `a dated relation is undone up to a later statement of another commit, which stays`(
    engine: Engine
  ) async throws {
    let store = try await store(engine, "a", "b")
    try await store.relate("a", .owns, "b", at: .year(2012))
    let first = try await store.log(limit: 1)[0].id
    try await store.unrelate("a", .owns, "b", at: .year(2014))
    let second = try await store.log(limit: 1)[0].id
    let report = try await store.undo(first)
    #expect(report.skipped == [])
    #expect(try await store.asOf(.year(2013)).relatedIDs("a", .owns) == [])
    try await undoLast(store)
    #expect(try await store.asOf(.year(2013)).relatedIDs("a", .owns) == ["b"])
    #expect(try await store.relatedIDs("a", .owns) == [])
    _ = try await store.undo(second)
    #expect(try await store.relatedIDs("a", .owns) == ["b"])
  }

  @Test(arguments: Engine.allCases)
  func `undoing a statement undoes the end that it gave to what was written for earlier dates`(
    engine: Engine
  ) async throws {
    let store = try await store(engine, "a", "b", "c")
    try await store.unrelate("a", .owns, "b", at: .year(2014))
    let absence = try await store.log(limit: 1)[0].id
    try await store.relate("a", .owns, "b", at: .year(2012))
    try await store.setCollection("a", "l", to: ["c"], at: .year(2014))
    let list = try await store.log(limit: 1)[0].id
    try await store.setCollection("a", "l", to: ["b"], at: .year(2012))
    var last = [absence, list]
    for isDone in [false, true, false] {
      for index in last.indices {
        let report = try await store.undo(last[index])
        #expect(report.skipped == [])
        last[index] = try #require(report.commit).id
      }
      #expect(try await store.asOf(.year(2013)).relatedIDs("a", .owns) == ["b"])
      #expect(try await store.relatedIDs("a", .owns) == (isDone ? [] : ["b"]))
      #expect(try await store.asOf(.year(2013)).collection(of: "a", "l") == ["b"])
      #expect(try await store.collection(of: "a", "l") == (isDone ? ["c"] : ["b"]))
    }
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `two copies that each undo show the same relation in any order of merging`(
    engine: Engine
  ) async throws {
    let (one, other) = (try await store(engine, "a", "b"), try await makeStore(engine))
    try await one.unrelate("a", .owns, "b", at: .year(2014))
    try await one.relate("a", .owns, "b", at: .year(2012))
    let written = try await one.log(limit: 1)[0].id
    try await other.merge(from: one)
    // Each undoes the relation, and one of them undoes its undo.
    _ = try await other.undo(written)
    _ = try await one.undo(written)
    try await undoLast(one)
    let third = try await makeStore(engine)
    try await third.merge(from: other)
    try await third.merge(from: one)
    try await one.merge(from: other)
    for store in [one, third] {
      #expect(try await store.asOf(.year(2013)).relatedIDs("a", .owns) == ["b"])
      #expect(try await store.asOf(.year(2015)).relatedIDs("a", .owns) == [])
      #expect(try await store.relatedIDs("a", .owns) == [])
      #expect(try await store.check().findings == [])
    }
  }
}

extension Date {
  /// The first moment of a year, by the mean length of years.
  static func year(_ year: Int) -> Date {
    Date(timeIntervalSince1970: Double(year - 1970) * 31_557_600)
  }
}
