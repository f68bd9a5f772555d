import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Setting and removing")
struct SettingTests {
  @Test(arguments: Engine.allCases)
  func `setting adds a value, even an equal one`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1])
    try await store.set("a", "x", 1)
    try await store.as("sam", message: "why").set("a", "x", 2)
    let history = try await store.history(of: "a", "x")
    #expect(history.map(\.value) == [2, 1, 1])
    #expect(history.first?.author == "sam")
    #expect(history.first?.commit.message == "why")
  }

  @Test(
    arguments: Engine.allCases
  )
  func `the last of several writes to one property in a transaction is kept`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a")
    try await store.write { tx in
      try await tx.set("a", "x", 1)
      #expect(try await tx.require("a")["x"] == 1)
      try await tx.set("a", "x", 2)
      #expect(try await tx.require("a")["x"] == 2)
    }
    #expect(try await store.history(of: "a", "x").map(\.value) == [2])
  }

  @Test(arguments: Engine.allCases)
  func `a value set without a time displaces one dated in the future`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a")
    try await store.set("a", "x", "future", at: .test(1_000))
    try await store.set("a", "x", "now")
    #expect(try await store.require("a")["x"] == "now")
    try await store.write { tx in
      try await tx.set("a", "x", "first")
      try await tx.set("a", "x", "second")
    }
    #expect(try await store.history(of: "a", "x").map(\.value) == ["second", "now", "future"])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `a value removed without a time is removed though dated in the future`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a")
    try await store.set("a", "x", 1, at: .test(1_000))
    try await store.remove("a", "x")
    #expect(try await store.require("a")["x"] == nil)
  }

  @Test(arguments: Engine.allCases)
  func `a value with a past time takes its place in history`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": "new"], at: .test(-10))
    try await store.set("a", "x", "old", at: .test(-20))
    #expect(try await store.require("a")["x"] == "new")
    #expect(try await store.history(of: "a", "x").map(\.value) == ["new", "old"])
  }

  @Test(arguments: Engine.allCases)
  func `the same value at the same time is not written again`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a")
    for _ in 0..<3 { try await store.set("a", "x", 1, at: .test(5)) }
    #expect(try await store.history(of: "a", "x").count == 1)
    #expect(try await store.commitCount() == 2)
    try await store.set("a", "x", 1, semanticType: "age", at: .test(5))
    #expect(try await store.require("a").property("x")?.semanticType == "age")
  }

  @Test(arguments: Engine.allCases)
  func `every value of a write with a time carries it`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write(at: .test(-7)) { tx in
      try await tx.create("t", id: "a", ["x": 1])
      try await tx.set("a", "y", 2)
      try await tx.set("a", "z", 3, at: .test(-3))
    }
    let times = try await store.history(of: "a").compactMap { $0.key == nil ? nil : $0.time.date }
    #expect(times == [.test(-3), .test(-7), .test(-7)])
  }

  @Test(arguments: Engine.allCases)
  func `nil removes, and removing a missing property writes nothing`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1])
    try await store.set("a", "x", nil)
    #expect(try await store.require("a")["x"] == nil)
    #expect(try await store.history(of: "a", "x").map(\.value) == [nil, 1])
    try await store.set("a", "x", nil)
    try await store.remove("a", "never")
    #expect(try await store.commitCount() == 2)
    // With a date, the removal states that there is no value at that date (R4).
    try await store.remove("a", "never", at: .test(3))
    try await store.remove("a", "never", at: .test(3))
    #expect(try await store.commitCount() == 3)
  }

  @Test(arguments: Engine.allCases)
  func `several properties are set in one call, nil removing`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1, "y": 1])
    try await store.set("a", ["x": nil, "y": 2, "z": 3])
    #expect(try await store.require("a").properties.mapValues(\.value) == ["y": 2, "z": 3])
    #expect(try await store.commitCount() == 2)
  }

  @Test(arguments: Engine.allCases)
  func `an empty semantic type is refused`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a")
    let error = await failure { try await store.set("a", "x", 1, semanticType: "") }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: Engine.allCases)
  func `writing to an entity that is not live states the reason`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "b"))
    try await store.erase("a")
    for (id, word) in [("a", "erased"), ("b", "dead with its owner \"a\""), ("c", "no entity")]
      as [(EntityID, String)]
    {
      let errors = [
        await failure { try await store.set(id, "x", 1) },
        await failure { try await store.update(id, ["x": 1]) },
        await failure { try await store.remove(id, "x") },
        await failure { _ = try await store.require(id) },
      ]
      for error in errors {
        #expect(error?.code == .notFound)
        #expect(error?.message.contains(word) == true)
        #expect(error?.remedy != nil)
      }
    }
    #expect(try await store.commitCount() == 3)
  }
}
