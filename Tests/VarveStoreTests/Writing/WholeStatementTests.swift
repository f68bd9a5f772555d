import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// A statement about all elements of a to-many property holds until the next statement, in whatever
/// order they are written.
@Suite("Statements about whole properties") struct WholeStatementTests {
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
  func `an element added for a date ends where the whole property is stated without it`(
    engine: Engine
  ) async throws {
    for kind in CollectionKind.allCases {
      let store = try await store(engine, "a", "b", "c")
      try await store.setCollection("a", "list", to: ["b"], as: kind, at: year(2014))
      try await store.addToCollection("a", "list", ["c"], as: kind, at: year(2012))
      #expect(try await store.collection(of: "a", "list") == ["b"])
      #expect(try await store.asOf(year(2013)).collection(of: "a", "list") == ["c"])
      try await store.addToCollection("a", "list", ["c"], as: kind, at: year(2016))
      #expect(try await store.collection(of: "a", "list") == ["b", "c"])
      #expect(try await store.asOf(year(2015)).collection(of: "a", "list") == ["b"])
      #expect(try await store.check().findings == [])
    }
  }

  private enum Statement {
    case whole(Set<EntityID>)
    case element(EntityID, Bool)

    func apply(to elements: inout Set<EntityID>) {
      switch self {
      case .whole(let targets): elements = targets
      case .element(let id, true): elements.insert(id)
      case .element(let id, false): elements.remove(id)
      }
    }
  }

  @Test(arguments: Engine.allCases, 0..<8 as Range<UInt64>)
  func `statements about elements and the whole property last to the next, in any order of writing`(
    engine: Engine,
    seed: UInt64
  ) async throws {
    var random = SplitMix64(seed: seed)
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    let ids: [EntityID] = ["a", "b", "c", "d"]
    try await store.write(at: year(2000)) { tx in
      for id in ids { try await tx.create("node", id: id) }
    }
    var statements: [Int: [Statement]] = [:]
    for step in 0..<16 {
      clock.advance(by: 1)
      let date = 2010 + Int.random(in: 0..<5, using: &random)
      let other = random.pick(Array(ids.dropFirst()))
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        let targets = Array(ids.dropFirst().prefix(Int.random(in: 0...3, using: &random)))
        statements[date] = [.whole(Set(targets))]
        try await store.setCollection("a", "set", to: targets, as: .set, at: year(date))
      case 1:
        statements[date, default: []].append(.element(other, true))
        try await store.addToCollection("a", "set", [other], as: .set, at: year(date))
      default:
        statements[date, default: []].append(.element(other, false))
        try await store.removeFromCollection("a", "set", [other], at: year(date))
      }
      var expected: Set<EntityID> = []
      for date in 2009..<2016 {
        for statement in statements[date] ?? [] { statement.apply(to: &expected) }
        let elements = try await store.asOf(year(date)).collection(of: "a", "set", as: .set) ?? []
        #expect(Set(elements) == expected, "seed \(seed), step \(step), \(date)")
      }
    }
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `a property stated as a whole is so again after an undo of its undo, and in one transaction`(
    engine: Engine
  ) async throws {
    for kind in CollectionKind.allCases {
      let store = try await store(engine, "a", "b", "c", "d")
      try await store.write { tx in
        try await tx.setCollection("a", "list", to: ["b"], as: kind, at: year(2014))
        try await tx.addToCollection("a", "list", ["d"], as: kind, at: year(2014))
      }
      let first = try #require(try await store.log(limit: 1).first)
      let undone = try #require(try await store.undo(first.id).commit)
      #expect(try await store.collection(of: "a", "list") == nil)
      try await store.undo(undone.id)
      #expect(try await store.collection(of: "a", "list") == ["b", "d"])
      try await store.addToCollection("a", "list", ["c"], as: kind, at: year(2012))
      #expect(try await store.asOf(year(2013)).collection(of: "a", "list") == ["c"])
      #expect(try await store.collection(of: "a", "list") == ["b", "d"])
      #expect(try await store.history(of: "a", "list").count(where: \.isMarker) == 3)
      #expect(try await store.check().findings == [])
    }
  }

  @Test(arguments: Engine.allCases)
  func
    `a to-many property set without a date keeps its targets, despite statements for earlier dates`(
      engine: Engine
    ) async throws
  {
    for kind in CollectionKind.allCases {
      let store = try await store(engine, "a", "b", "c", "d")
      try await store.setCollection("a", "list", to: ["b", "c"], as: kind)
      try await store.setCollection("a", "list", to: ["d"], as: kind, at: year(2012))
      #expect(try await store.collection(of: "a", "list") == ["b", "c"])
      #expect(try await store.asOf(year(2013)).collection(of: "a", "list") == ["d"])
      try await store.setCollection("a", "list", to: ["b"], as: kind)
      try await store.addToCollection("a", "list", ["c"], as: kind, at: year(2014))
      #expect(try await store.collection(of: "a", "list") == ["b"])
      #expect(try await store.asOf(year(2015)).collection(of: "a", "list") == ["d", "c"])
      #expect(try await store.setCollection("a", "list", to: ["b"], as: kind) == false)
      try await store.setCollection("a", "list", to: ["d"], as: kind, at: year(2016))
      #expect(try await store.collection(of: "a", "list") == ["b"])
      #expect(try await store.check().findings == [])
    }
  }

  @Test(arguments: Engine.allCases)
  func `elements added without a date after the whole, in one transaction, are part of it`(
    engine: Engine
  ) async throws {
    for isAttempt in [false, true] {
      let store = try await store(engine, "a", "b", "c", "d")
      try await store.write { tx in
        try await tx.setCollection("a", "list", to: ["b"])
        if isAttempt {
          await #expect(throws: CancellationError.self) {
            try await tx.attempt {
              try await tx.setCollection("a", "list", to: ["d"])
              throw CancellationError()
            }
          }
        }
        try await tx.addToCollection("a", "list", ["c"])
      }
      try await store.setCollection("a", "list", to: ["d"], at: year(2012))
      #expect(try await store.collection(of: "a", "list") == ["b", "c"])
      #expect(try await store.check().findings == [])
    }
  }

  @Test(arguments: Engine.allCases)
  func `a to-many property that an undo gives back holds against statements for earlier dates`(
    engine: Engine
  ) async throws {
    for kind in CollectionKind.allCases {
      let store = try await store(engine, "a", "b", "c", "d")
      try await store.setCollection("a", "list", to: ["b"], as: kind)
      let done = try await store.commit {
        try await $0.setCollection("a", "list", to: ["c"], as: kind)
      }
      let report = try await store.undo(try #require(done.commit).id)
      #expect(report.skipped == [])
      try await store.setCollection("a", "list", to: ["d"], as: kind, at: year(2012))
      #expect(try await store.collection(of: "a", "list") == ["b"])
      try await store.undo(try #require(report.commit).id)
      #expect(try await store.collection(of: "a", "list") == ["c"])
      #expect(try await store.check().findings == [])
    }
  }

  @Test(arguments: Engine.allCases)
  func `elements are undone one by one although the whole property was set later`(engine: Engine)
    async throws
  {
    let store = try await store(engine, "a", "b", "c", "d")
    try await store.setCollection("a", "list", to: ["b"])
    let done = try await store.commit { try await $0.setCollection("a", "list", to: ["b", "c"]) }
    try await store.setCollection("a", "list", to: ["b", "c", "d"])
    let report = try await store.undo(try #require(done.commit).id)
    #expect(report.skipped == [])
    #expect(try await store.collection(of: "a", "list") == ["b", "d"])
    try await store.set("a", "list", 1)
    let hidden = try await store.undo(try #require(report.commit).id)
    #expect(hidden.skipped.allSatisfy { $0.reason == .changedSince })
    #expect(try await store.require("a")["list"] == 1)
  }

  @Test(arguments: Engine.allCases, 0..<8 as Range<UInt64>)
  func `a to-many property is what the last statement says, with or without a date`(
    engine: Engine,
    seed: UInt64
  ) async throws {
    var random = SplitMix64(seed: seed)
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    let ids: [EntityID] = ["a", "b", "c", "d"]
    try await store.write(at: year(2000)) { tx in
      for id in ids { try await tx.create("node", id: id) }
      try await tx.setCollection("a", "set", to: [], as: .set)
    }
    // What is written without a date comes after all dates.
    var statements: [Int: [Statement]] = [:]
    func elements(at date: Int) -> Set<EntityID> {
      var elements: Set<EntityID> = []
      for (_, said) in statements.filter({ $0.key <= date }).sorted(by: { $0.key < $1.key }) {
        for statement in said { statement.apply(to: &elements) }
      }
      return elements
    }
    for step in 0..<20 {
      clock.advance(by: 1)
      let isDated = random.chance(60)
      let date = isDated ? 2010 + Int.random(in: 0..<5, using: &random) : 3000 + step
      let time = isDated ? year(date) : nil
      let other = random.pick(Array(ids.dropFirst()))
      let present = elements(at: date)
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        let targets = Array(ids.dropFirst().prefix(Int.random(in: 0...3, using: &random)))
        if isDated || Set(targets) != present { statements[date] = [.whole(Set(targets))] }
        try await store.setCollection("a", "set", to: targets, as: .set, at: time)
      case 1:
        if isDated || !present.contains(other) {
          statements[date, default: []].append(.element(other, true))
        }
        try await store.addToCollection("a", "set", [other], as: .set, at: time)
      default:
        if isDated || present.contains(other) {
          statements[date, default: []].append(.element(other, false))
        }
        try await store.removeFromCollection("a", "set", [other], at: time)
      }
      let place: Comment = "seed \(seed), step \(step)"
      for date in 2009..<2016 {
        let state = try store.asOf(year(date))
        let found = try await state.collection(of: "a", "set", as: .set) ?? []
        #expect(Set(found) == elements(at: date), place)
      }
      let found = try await store.collection(of: "a", "set", as: .set) ?? []
      #expect(Set(found) == elements(at: .max), place)
    }
    #expect(try await store.check().findings == [])
  }
}

extension Version {
  fileprivate var isMarker: Bool { if case .collection = content { true } else { false } }
}
