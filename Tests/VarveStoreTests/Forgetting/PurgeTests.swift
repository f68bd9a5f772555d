import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Purging")
struct PurgeTests {
  @Test(
    arguments: Engine.allCases
  )
  func `purging destroys all values of an entity, now and in the past, and erases it`(
    engine: Engine
  ) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.write { tx in
      try await tx.create("Person", id: "ana", ["name": "Ana", "age": 7])
      try await tx.create("Person", id: "bob", ["name": "Bob"])
      try await tx.relate("ana", .owns, "bob")
      try await tx.relate("bob", .free, "ana", named: "friend")
    }
    clock.advance(by: 1_000)
    let before = try await store.frontier()
    try await store.write { tx in
      try await tx.set("ana", "name", "Anna")
      try await tx.remove("ana", "age")
      try await tx.set("bob", "name", "Bobby")
    }
    clock.advance(by: 1_000)
    let report = try await store.as("sam", message: "asked").purge(["ana"])
    #expect(report.died == ["ana", "bob"] && report.placeCount == 3)
    #expect(try await store.history(of: "ana").allSatisfy { $0.key == nil })
    let past = try await store.asOf(before).entity("ana")
    #expect(past?.type == "Person" && past?.keys.isEmpty == true)
    #expect(try await store.asOf(before).entity("bob")?["name"] == "Bob")
    #expect(try await store.history(of: "bob", "name").count == 2)
    try await store.restore("ana")
    #expect(try await store.entity("ana")?.keys.isEmpty == true)
    #expect(try await store.entity("bob")?["name"] == "Bobby")
    #expect(try await store.purge(["ana"]).placeCount == 0)
    let findings = try await store.check()
    #expect(findings.isClean, "\(findings.findings)")
  }

  @Test(
    arguments: Engine.allCases
  )
  func `leaves the removal of its elements by another copy in no history and no timeline`(
    engine: Engine
  ) async throws {
    let clock = TestClock()
    let stores = [
      try await makeStore(engine, clock: clock), try await makeStore(engine, clock: clock),
    ]
    try await stores[0].create("Person", id: "ana")
    clock.advance(by: 1_000)
    try await stores[0].setCollection("ana", "friends", to: ["bob"])
    try await stores[1].merge(from: stores[0])
    clock.advance(by: 1_000)
    try await stores[0].purge(["ana"])
    try await stores[1].removeFromCollection("ana", "friends", ["bob"])
    for (copy, store) in stores.enumerated() {
      try await store.merge(from: stores[1 - copy])
      let listed = Set(try await store.history(of: "ana").map(\.commit.id))
      for subject in [Timeline.Subject.entity("ana"), .type("Person")] {
        let timeline = try await store.timeline(of: subject, by: .replica)
        #expect(timeline.total == listed.count, "\(copy): \(subject)")
        #expect(timeline.series.reduce(0) { $0 + $1.total } == listed.count)
      }
      #expect(try await store.check().isClean)
    }
  }

  @Test(arguments: Engine.allCases)
  func `purging refuses unknown entities, and writes of the same transaction`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    #expect(await failure { try await store.purge(["nobody"]) }?.code == .notFound)
    let error = await failure {
      try await store.write { tx in
        try await tx.create("Person", id: "ana", ["name": "Ana"])
        try await tx.purge(["ana"])
      }
    }
    #expect(error?.code == .invalidArgument)
    #expect(try await store.commitCount() == 0)
  }

  @Test(arguments: Engine.allCases)
  func `purging takes the elements of relations out`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      try await tx.create("Person", id: "ana")
      try await tx.create("Person", id: "bob")
      try await tx.setCollection("ana", "friends", to: ["bob", "carl"])
    }
    try await store.write { try await $0.setCollection("ana", "friends", to: ["bob"]) }
    try await store.purge(["ana"])
    #expect(try await store.history(of: "ana").allSatisfy { $0.key == nil })
    try await store.restore("ana")
    #expect(try await store.entity("ana")?.keys.isEmpty == true)
    let findings = try await store.check()
    #expect(findings.isClean, "\(findings.findings)")
    try await store.rebuild()
    #expect(try await store.history(of: "ana").allSatisfy { $0.key == nil })
  }

  @Test
  func `refuses an entity whose properties the transaction wrote, and erases one it only created`()
    async throws
  {
    let store = try await makeStore(.memory)
    for properties in [["name": "Ana"], [:]] as [[PropertyKey: Value]] {
      var code: VarveError.Code?
      do {
        try await store.write { tx in
          try await tx.create("Person", id: "ana", properties)
          try await tx.purge(["ana"])
        }
      } catch let error as VarveError {
        code = error.code
      }
      #expect(code == (properties.isEmpty ? nil : .invalidArgument))
      #expect(try await store.entity("ana") == nil)
    }
    #expect(try await store.history(of: "ana").allSatisfy { $0.key == nil })
    #expect(try await store.check().findings == [])
  }

  @Test
  func `leaves unseen writes of another replica, lists them, and removes them when repeated`()
    async throws
  {
    let clock = TestClock()
    let (left, right) = (
      try await makeStore(.memory, clock: clock), try await makeStore(.memory, clock: clock)
    )
    try await left.create("Person", id: "ana", ["name": "Ana"])
    try await right.sync(with: left)
    clock.advance(by: 10)
    try await right.set("ana", "name", "Anna")
    try await left.purge(["ana"])
    clock.advance(by: 10)
    try await left.sync(with: right)
    for store in [left, right] {
      #expect(try await store.history(of: "ana", "name").map(\.value) == ["Anna"])
      #expect(try await store.conflicts().map(\.entity) == ["ana"])
    }
    clock.advance(by: 10)
    try await right.purge(["ana"])
    try await left.sync(with: right)
    for store in [left, right] {
      #expect(try await store.history(of: "ana", "name").isEmpty)
      let findings = try await store.check()
      #expect(findings.isClean, "\(findings.findings)")
    }
  }

  @Test(arguments: Engine.allCases)
  func `purging of the dead names them, once, and leaves them erased`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      for id in ["ana", "bob", "carl"] as [EntityID] {
        try await tx.create("Person", id: id, ["name": "A"])
      }
      try await tx.relate("ana", .owns, "bob")
    }
    try await store.erase(["ana", "carl"])
    #expect(try await store.purge(["carl"]) == PurgeReport(died: [], placeCount: 1))
    let purge = try #require(try await store.log(limit: 1).first)
    #expect(try await store.history(of: "carl").first?.commit == purge)
    #expect(await failure { try await store.undo(purge.id) }?.code == .invalidArgument)
    #expect(try await store.purge(["bob", "carl"]) == PurgeReport(died: [], placeCount: 1))
    let second = try #require(try await store.log(limit: 1).first)
    #expect(try await store.history(of: "bob").first?.commit == second)
    #expect(try await store.history(of: "carl").first?.commit == purge)
    #expect(try await store.purge(["bob", "carl"]).placeCount == 0)
    #expect(try await store.log(limit: 1).first == second)
    #expect(try await store.restore("ana") == ["ana"])
    #expect(try await store.undo(second.id).restored == ["bob"])
    #expect(try await store.require("bob").properties.isEmpty)
    #expect(try await store.check().findings == [])
  }
}
