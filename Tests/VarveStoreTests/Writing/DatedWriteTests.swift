import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Dated writes") struct DatedWriteTests {
  /// A date years before the clock of the tests.
  private func past(_ seconds: Int = 0) -> Date {
    Date(timeIntervalSince1970: 1_000_000_000 + Double(seconds))
  }

  @Test(arguments: Engine.allCases)
  func `a dated write that returns to what another of that time hides is done`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "x", "y")
    for color in ["red", "blue", "red"] as [Value] {
      try await store.set("a", "color", color, at: past())
      #expect(try await store.require("a")["color"] == color)
    }
    for size in [1, 2, 1] as [Value] {
      #expect(try await store.update("a", ["size": size], at: past()))
      #expect(try await store.require("a")["size"] == size)
    }
    for targets in [["x"], ["y"], ["x"]] as [[EntityID]] {
      #expect(try await store.setCollection("a", "list", to: targets, at: past()))
      #expect(try await store.collection(of: "a", "list") == targets)
    }
    try await store.write(at: past()) { tx in
      for color in ["green", "white", "green"] as [Value] { try await tx.set("a", "color", color) }
      for _ in 0..<2 {
        try await tx.relate("a", .free, "x")
        try await tx.unrelate("a", .free, "x")
      }
      try await tx.relate("a", .free, "x")
    }
    #expect(try await store.require("a")["color"] == "green")
    #expect(try await store.relatedIDs("a", .free) == ["x"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `a dated write of what counts at exactly that time makes no commit`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "x")
    func write() async throws {
      try await store.write(at: past()) { tx in
        try await tx.set("a", "color", "red")
        try await tx.set("a", "color", "blue")
        try await tx.setCollection("a", "list", to: ["x"])
        try await tx.relate("a", .owns, "x")
        try await tx.unrelate("a", .free, "x")
        try await tx.removeFromCollection("a", "list", ["a"])
        try await tx.remove("a", "nothing")
      }
    }
    try await write()
    let count = try await store.commitCount()
    try await store.set("a", "color", "blue", at: past())
    try await store.write(at: past()) { tx in
      #expect(try await !tx.update("a", ["color": "blue", "nothing": nil]))
      #expect(try await !tx.setCollection("a", "list", to: ["x"]))
      #expect(try await !tx.addToCollection("a", "list", ["x"], as: .set))
      #expect(try await !tx.removeFromCollection("a", "list", ["a"]))
      try await tx.relate("a", .owns, "x")
      try await tx.unrelate("a", .free, "x")
    }
    #expect(try await store.commitCount() == count)
  }

  @Test(arguments: Engine.allCases)
  func `what writes a difference for a past date compares with the state at that date`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.write(at: past()) { tx in
      for id in ["a", "x", "y"] as [EntityID] { try await tx.create("node", id: id) }
    }
    try await store.set("a", "color", "red", at: past(10))
    try await store.set("a", "color", "blue", at: past(20))
    #expect(try await !store.update("a", ["color": "red"], at: past(15)))
    #expect(try await store.update("a", ["color": "blue"], at: past(15)))
    #expect(try await store.asOf(past(14)).history(of: "a", "color").first?.value == "red")
    #expect(try await store.asOf(past(16)).history(of: "a", "color").first?.value == "blue")
    try await store.relate("a", .owns, "x", at: past(20))
    try await store.relate("a", .owns, "x", at: past(15))
    #expect(try await store.relatedIDs("a", .owns) == ["x"])
    #expect(try await store.asOf(past(16)).relatedIDs("a", .owns) == ["x"])
    try await store.unrelate("a", .owns, "x", at: past(12))
    #expect(try await store.relatedIDs("a", .owns) == ["x"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases, 0..<6 as Range<UInt64>)
  func `a property and a to-many property say at every date what the last write before it said`(
    engine: Engine,
    seed: UInt64
  ) async throws {
    var random = SplitMix64(seed: seed)
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.write(at: past(-1)) { tx in
      for id in ["a", "x", "y", "z"] as [EntityID] { try await tx.create("node", id: id) }
    }
    var values: [Int: Value?] = [:]
    var lists: [Int: [EntityID]] = [:]
    for step in 0..<40 {
      clock.advance(by: 1)
      let time = Int.random(in: 0..<5, using: &random)
      if random.chance(50) {
        let value: Value? = random.chance(20) ? nil : .int(Int64.random(in: 0..<3, using: &random))
        let before = values.filter { $0.key <= time }.max { $0.key < $1.key }?.value ?? nil
        if random.chance(50) {
          let isWritten = try await store.update("a", ["k": value], at: past(time))
          #expect(isWritten == (before != value), "seed \(seed), step \(step)")
          if isWritten { values[time] = value }
        } else {
          try await store.set("a", "k", value, at: past(time))
          values[time] = value
        }
      } else {
        let count = Int.random(in: 0..<4, using: &random)
        let list = (0..<count).map { _ in random.pick(["x", "y", "z"] as [EntityID]) }
        let before = lists.filter { $0.key <= time }.max { $0.key < $1.key }?.value
        let isWritten = try await store.setCollection("a", "list", to: list, at: past(time))
        #expect(isWritten || before == list, "seed \(seed), step \(step)")
        lists[time] = list
      }
      for date in 0..<5 {
        let state = try store.asOf(past(date))
        let value = values.filter { $0.key <= date }.max { $0.key < $1.key }?.value ?? nil
        let list = lists.filter { $0.key <= date }.max { $0.key < $1.key }?.value
        #expect(try await state.require("a")["k"] == value, "seed \(seed), step \(step), \(date)")
        let found = try await state.collection(of: "a", "list")
        #expect(found == list, "seed \(seed), step \(step), \(date)")
      }
    }
    #expect(try await store.check().findings == [])
  }
}
