import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// A date stands for a whole millisecond (R4): what is written for it replaces what was written
/// within it, at any place of the millisecond.
@Suite("Writes for the millisecond of another commit")
struct WithinDateTests {
  /// A store in which three commits wrote to an entity within one millisecond, and that date.
  private func store(_ engine: Engine) async throws -> (store: Store, date: Date) {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.write(at: .test(-100)) { tx in
      try await tx.create("node", id: "a")
      try await tx.create("node", id: "b")
    }
    let date = Date.test(0)
    for color in ["red", "blue"] as [Value] { try await store.set("a", "color", color) }
    try await store.relate("a", .owns, "b")
    clock.advance(by: 1_000)
    return (store, date)
  }

  /// The ways of writing a property for a date.
  enum Way: CaseIterable {
    case update, expecting, set, transaction

    func write(_ value: Value?, to store: Store, at date: Date) async throws {
      switch self {
      case .update:
        #expect(try await store.update("a", ["color": value], at: date))
        #expect(try await !store.update("a", ["color": value], at: date))
      case .expecting:
        let isChanged = try await store.update(
          "a",
          ["color": value],
          expecting: ["color": "blue"],
          at: date
        )
        #expect(isChanged)
      case .set:
        guard let value else { return try await store.remove("a", "color", at: date) }
        try await store.set("a", "color", value, at: date)
      case .transaction:
        let isChanged = try await store.write(at: date) { tx in
          try await tx.update("a", ["color": value])
        }
        #expect(isChanged)
      }
    }
  }

  @Test(arguments: Engine.allCases, Way.allCases)
  func `writes for the millisecond of another commit hold at that date and at present`(
    engine: Engine,
    way: Way
  ) async throws {
    for value in ["green", nil, "red"] as [Value?] {
      let (store, date) = try await store(engine)
      try await way.write(value, to: store, at: date)
      #expect(try await store.require("a")["color"] == value)
      #expect(try await store.asOf(date).require("a")["color"] == value)
      #expect(try await store.asOf(date.addingTimeInterval(-0.001)).require("a")["color"] == nil)
      #expect(try await store.check().findings == [])
    }
  }

  @Test(arguments: Engine.allCases)
  func `make a list of a value of that millisecond`(engine: Engine) async throws {
    let (store, date) = try await store(engine)
    #expect(try await store.setCollection("a", "color", to: ["b"], at: date))
    #expect(try await store.collection(of: "a", "color") == ["b"])
    #expect(try await store.asOf(date).collection(of: "a", "color") == ["b"])
    #expect(try await store.require("a")["color"] == nil)
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `make no commit if the millisecond ends so`(engine: Engine) async throws {
    let (store, date) = try await store(engine)
    let count = try await store.commitCount()
    try await store.set("a", "color", "blue", at: date)
    #expect(try await !store.update("a", ["color": "blue"], at: date))
    #expect(try await store.commitCount() == count)
  }

  @Test(arguments: Engine.allCases)
  func `writes for the millisecond of another commit are undone like any other`(engine: Engine)
    async throws
  {
    let (store, date) = try await store(engine)
    #expect(try await store.update("a", ["color": "green"], at: date))
    try await store.undo(try #require(try await store.log(limit: 1).first).id)
    #expect(try await store.require("a")["color"] == "blue")
    #expect(try await store.asOf(date).require("a")["color"] == "blue")
  }

  @Test(arguments: Engine.allCases)
  func `end a relation of that millisecond, and make it anew`(engine: Engine) async throws {
    let (store, date) = try await store(engine)
    try await store.unrelate("a", .owns, "b", at: date)
    #expect(try await store.asOf(date).relatedIDs("a", .owns) == [])
    try await store.relate("a", .owns, "b", at: date)
    #expect(try await store.relatedIDs("a", .owns) == ["b"])
    #expect(try await store.asOf(date).relatedIDs("a", .owns) == ["b"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `leave later milliseconds as they are`(engine: Engine) async throws {
    let (store, date) = try await store(engine)
    try await store.set("a", "color", "white")
    #expect(try await store.update("a", ["color": "green"], at: date))
    #expect(try await store.asOf(date).require("a")["color"] == "green")
    #expect(try await store.require("a")["color"] == "white")
  }
}
