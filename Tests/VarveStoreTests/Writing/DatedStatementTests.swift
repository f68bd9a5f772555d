import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// What is written for dates holds from each date to the next, in whatever order it is written.
@Suite("Dated statements") struct DatedStatementTests {
  private func year(_ year: Int) -> Date {
    Date(timeIntervalSince1970: Double(year - 1970) * 31_557_600)
  }

  private func store(_ engine: Engine, _ ids: EntityID...) async throws -> Store {
    let store = try await makeStore(engine)
    try await store.write(at: year(2000)) { tx in
      for id in ids { try await tx.create("node", id: id) }
    }
    return store
  }

  @Test(arguments: Engine.allCases)
  func `a relation written for a date outlives an end written later for an earlier date`(
    engine: Engine
  ) async throws {
    for kind in [RelationKind.free, .owns, .ownedBy] {
      let store = try await store(engine, "a", "b")
      try await store.relate("a", kind, "b", at: year(2010))
      try await store.relate("a", kind, "b", at: year(2014))
      try await store.unrelate("a", kind, "b", at: year(2012))
      #expect(try await store.relatedIDs("a", kind) == ["b"])
      #expect(try await store.asOf(year(2013)).relatedIDs("a", kind) == [])
      #expect(try await store.asOf(year(2011)).relatedIDs("a", kind) == ["b"])
      #expect(try await store.check().findings == [])
    }
  }

  @Test(arguments: Engine.allCases)
  func `a relation written for an earlier date ends at the end written before`(
    engine: Engine
  ) async throws {
    for kind in [RelationKind.free, .owns, .ownedBy] {
      let store = try await store(engine, "a", "b")
      try await store.relate("a", kind, "b", at: year(2014))
      try await store.unrelate("a", kind, "b", at: year(2012))
      try await store.relate("a", kind, "b", at: year(2010))
      #expect(try await store.relatedIDs("a", kind) == ["b"])
      #expect(try await store.asOf(year(2013)).relatedIDs("a", kind) == [])
      #expect(try await store.asOf(year(2011)).relatedIDs("a", kind) == ["b"])
      #expect(try await store.check().findings == [])
    }
  }

  @Test(arguments: Engine.allCases)
  func `a removal written for a date ends a value written later for an earlier date`(
    engine: Engine
  ) async throws {
    let store = try await store(engine, "a")
    try await store.remove("a", "k", at: year(2012))
    try await store.set("a", "k", 1, at: year(2010))
    #expect(try await store.require("a")["k"] == nil)
    #expect(try await store.asOf(year(2011)).require("a")["k"] == 1)
    try await store.set("a", "k", 1, at: year(2014))
    try await store.set("a", "k", 1, at: year(2016))
    try await store.set("a", "k", 2, at: year(2015))
    #expect(try await store.require("a")["k"] == 1)
    #expect(try await store.asOf(year(2013)).require("a")["k"] == nil)
  }

  @Test(arguments: Engine.allCases)
  func `a to-many property keeps its targets of a date, despite later writes for earlier dates`(
    engine: Engine
  ) async throws {
    let store = try await store(engine, "a", "b", "c")
    try await store.setCollection("a", "list", to: ["b"], at: year(2010))
    try await store.setCollection("a", "list", to: ["b"], at: year(2014))
    try await store.setCollection("a", "list", to: ["c"], at: year(2012))
    #expect(try await store.collection(of: "a", "list") == ["b"])
    #expect(try await store.asOf(year(2013)).collection(of: "a", "list") == ["c"])
  }

  @Test(arguments: Engine.allCases)
  func `an element written for a date outlives writes for earlier dates, and ends at later ones`(
    engine: Engine
  ) async throws {
    let store = try await store(engine, "a", "b", "c")
    try await store.setCollection("a", "set", to: ["b", "c"], as: .set, at: year(2010))
    try await store.addToCollection("a", "set", ["b"], as: .set, at: year(2014))
    try await store.removeFromCollection("a", "set", ["b"], at: year(2012))
    #expect(try await store.collection(of: "a", "set", as: .set) == ["b", "c"])
    #expect(try await store.asOf(year(2013)).collection(of: "a", "set", as: .set) == ["c"])
    try await store.removeFromCollection("a", "other", ["b"], at: year(2012))
    try await store.addToCollection("a", "other", ["b"], as: .set, at: year(2010))
    #expect(try await store.collection(of: "a", "other", as: .set) == [])
    #expect(try await store.asOf(year(2011)).collection(of: "a", "other", as: .set) == ["b"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `an end for an earlier date keeps entities that the same owner owns later`(engine: Engine)
    async throws
  {
    let store = try await store(engine, "a", "b")
    try await store.relate("a", .owns, "b", at: year(2010))
    try await store.relate("a", .owns, "b", at: year(2014))
    try await store.unrelate("a", .owns, "b", orphans: .refuse, at: year(2012))
    try await store.unrelate("a", .owns, "b", orphans: .erase, at: year(2011))
    #expect(try await store.entity("b") != nil)
    #expect(try await store.relatedIDs("a", .owns) == ["b"])
  }

  @Test(arguments: Engine.allCases)
  func `of two dated creations the second is refused, so an end between them is one`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("node", id: "a", at: year(2010))
    let error = await failure { try await store.create("node", id: "a", at: year(2014)) }
    #expect(error?.code == .duplicateIdentifier)
    try await store.erase("a", at: year(2012))
    #expect(try await store.entity("a") == nil)
    #expect(try await store.asOf(year(2011)).entity("a") != nil)
  }

  @Test(arguments: Engine.allCases, 0..<8 as Range<UInt64>)
  func `relations, elements and values last from each date to the next, in any order of writing`(
    engine: Engine,
    seed: UInt64
  ) async throws {
    var random = SplitMix64(seed: seed)
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    let ids: [EntityID] = ["a", "b", "c"]
    try await store.write(at: year(2000)) { tx in
      for id in ids { try await tx.create("node", id: id) }
    }
    var related: [EntityID: [Int: Bool]] = [:]
    var contained: [EntityID: [Int: Bool]] = [:]
    var values: [Int: Value?] = [:]
    for step in 0..<30 {
      clock.advance(by: 1)
      let date = 2010 + Int.random(in: 0..<5, using: &random)
      let other = random.pick(["b", "c"] as [EntityID])
      let isStanding = random.chance(50)
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        related[other, default: [:]][date] = isStanding
        if isStanding {
          try await store.relate("a", .owns, other, at: year(date))
        } else {
          try await store.unrelate("a", .owns, other, at: year(date))
        }
      case 1:
        contained[other, default: [:]][date] = isStanding
        if isStanding {
          try await store.addToCollection("a", "set", [other], as: .set, at: year(date))
        } else {
          try await store.removeFromCollection("a", "set", [other], at: year(date))
        }
      default:
        let value: Value? = isStanding ? .int(Int64.random(in: 0..<2, using: &random)) : nil
        values[date] = .some(value)
        try await store.set("a", "k", value, at: year(date))
      }
      for date in 2009..<2016 {
        let state = try store.asOf(year(date))
        func standing(_ said: [EntityID: [Int: Bool]]) -> Set<EntityID> {
          Set(
            said.filter { _, dates in
              dates.filter { $0.key <= date }.max { $0.key < $1.key }?.value ?? false
            }.keys
          )
        }
        let place: Comment = "seed \(seed), step \(step), \(date)"
        #expect(try await Set(state.relatedIDs("a", .owns)) == standing(related), place)
        let elements = try await state.collection(of: "a", "set", as: .set) ?? []
        #expect(Set(elements) == standing(contained), place)
        let value = values.filter { $0.key <= date }.max { $0.key < $1.key }?.value ?? nil
        #expect(try await state.require("a")["k"] == value, place)
      }
    }
    #expect(try await store.check().findings == [])
  }
}
