import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Merging duplicates")
struct DuplicateMergingTests {
  /// Two duplicate shops, and the entities that refer to them.
  private func doubled(_ engine: Engine, _ clock: TestClock) async throws -> Store {
    let store = try await makeStore(engine, clock: clock)
    try await store.write { tx in
      try await tx.create("Shop", id: "one", ["name": "Corner"])
      try await tx.create("Hat", id: "hat")
      try await tx.create("Town", id: "town")
    }
    clock.advance(by: 5)
    try await store.write { tx in
      try await tx.create("Shop", id: "two", ["name": "corner", "phone": "12"])
      try await tx.create("Hat", id: "cap", ["shop": .reference("two")])
      try await tx.create("List", id: "list", ["all": ["x", .reference("two")]])
      try await tx.relate("one", .owns, "hat", named: "hats")
      try await tx.relate("two", .owns, "cap", named: "hats")
      try await tx.relate("town", .owns, "two", named: "shops")
      try await tx.relate("two", .free, "town", named: "near")
      try await tx.setCollection("list", "shops", to: ["hat", "two", "cap"])
      try await tx.setCollection("two", "staff", to: ["town"])
    }
    return store
  }

  @Test(arguments: Engine.allCases)
  func `merging duplicates moves references, elements, edges and missing properties`(engine: Engine)
    async throws
  {
    let clock = TestClock()
    let store = try await doubled(engine, clock)
    let merge = try await store.mergeDuplicates(["two", "one"], into: "one")
    #expect(merge.erased == ["two"])
    #expect(merge.properties == ["phone", "staff"])
    #expect(merge.referenceCount == 3)
    #expect(merge.relationCount == 3)
    #expect(try await store.require("one")["name"] == "Corner")
    #expect(try await store.require("one")["phone"] == "12")
    #expect(try await store.require("cap")["shop"] == .reference("one"))
    #expect(try await store.require("list")["all"] == ["x", .reference("one")])
    #expect(try await store.collection(of: "list", "shops") == ["hat", "one", "cap"])
    #expect(try await store.collection(of: "one", "staff") == ["town"])
    #expect(try await store.relatedIDs("one", .owns, named: "hats") == ["hat", "cap"])
    #expect(try await store.relatedIDs("town", .owns) == ["one"])
    #expect(try await store.relatedIDs("one", .free) == ["town"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `merging duplicates leaves a duplicate that is restored later without its owners`(
    engine: Engine
  ) async throws {
    let clock = TestClock()
    let store = try await doubled(engine, clock)
    try await store.relate("town", .free, "two", named: "likes")
    try await store.relate("town", .free, "one", named: "likes")
    try await store.mergeDuplicates(["two"], into: "one")
    try await store.restore("two")
    #expect(try await store.relatedIDs("town", .owns) == ["one"])
    #expect(try await store.relatedIDs("town", .free, named: "likes") == ["one"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `merging duplicates is one commit, which can be undone`(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await doubled(engine, clock)
    let count = try await store.commitCount()
    let (_, commit) = try await store.commit { try await $0.mergeDuplicates(["two"], into: "one") }
    #expect(try await store.commitCount() == count + 1)
    let report = try await store.undo(#require(commit).id)
    #expect(report.skipped == [])
    #expect(try await store.require("cap")["shop"] == .reference("two"))
    #expect(try await store.require("one")["phone"] == nil)
    #expect(try await store.relatedIDs("two", .owns) == ["cap"])
    #expect(try await store.relatedIDs("town", .owns) == ["two"])
    #expect(try await store.collection(of: "list", "shops")?.contains("two") == true)
  }

  @Test func `merging duplicates takes the newest values, or none, by the policy`() async throws {
    let clock = TestClock()
    var store = try await doubled(.memory, clock)
    try await store.mergeDuplicates(["two"], into: "one", .newest)
    #expect(try await store.require("one")["name"] == "corner")
    store = try await doubled(.memory, clock)
    let merge = try await store.mergeDuplicates(["two"], into: "one", .keep)
    #expect(merge.properties == [])
    #expect(try await store.require("one")["phone"] == nil)
    #expect(try await store.collection(of: "one", "staff") == nil)
  }

  @Test(arguments: Engine.allCases)
  func `merging duplicates keeps alive an entity that a duplicate owned`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c", "owner")
    try await store.own(("a", "b"), ("b", "c"), ("c", "a"), ("owner", "c"))
    try await store.mergeDuplicates(["a", "c"], into: "b")
    #expect(try await store.live("a", "b", "c") == ["b"])
    #expect(try await store.relatedIDs("owner", .owns) == ["b"])
    #expect(try await store.ownerlessCycles() == [])
    #expect(try await store.check().findings == [])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `for a date redirects what begins later from its own beginning on`(engine: Engine)
    async throws
  {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    func year(_ year: Int) -> Date {
      Date(timeIntervalSince1970: Double(year - 1970) * 365.25 * 86_400)
    }
    for id in ["a", "b", "c"] as [EntityID] {
      try await store.create("Man", id: id, at: year(2018))
    }
    try await store.create("Boat", id: "boat", at: year(2018))
    try await store.set("b", "phone", "12", at: year(2022))
    for (year, captain) in [(year(2020), "b"), (year(2022), "b"), (year(2023), "c")] {
      try await store.set("boat", "captain", .reference(EntityID(unchecked: captain)), at: year)
    }
    try await store.set("boat", "captain", .reference("b"), at: year(2024))
    try await store.set("boat", "mate", .reference("b"), at: year(2022))
    try await store.relate("boat", .free, "b", named: "by", at: year(2022))
    try await store.setCollection("boat", "crew", to: ["b"], at: year(2022))
    let (merge, commit) = try await store.commit {
      try await $0.mergeDuplicates(["b"], into: "a", at: year(2021))
    }
    #expect(merge.referenceCount == 3 && merge.relationCount == 1)
    let captains = [2020: "b", 2021: "a", 2022: "a", 2023: "c", 2024: "a"]
    for (number, captain) in captains {
      let state = try store.asOf(year(number).addingTimeInterval(10 * 86_400))
      let boat = try await state.require("boat")
      #expect(boat["captain"] == .reference(EntityID(unchecked: captain)), "\(number)")
      let begins = number >= 2022
      #expect(boat["mate"] == (begins ? .reference("a") : nil), "\(number)")
      let related = try await state.relatedIDs("boat", .free)
      #expect(related == (begins ? ["a"] : []), "\(number)")
      let crew = try await state.collection(of: "boat", "crew") ?? []
      #expect(crew == (begins ? ["a"] : []), "\(number)")
      #expect(try await state.require("a")["phone"] == (begins ? "12" : nil), "\(number)")
      #expect(try await state.exists("b") == (number < 2021), "\(number)")
    }
    #expect(try await store.require("boat")["captain"] == .reference("a"))
    #expect(try await store.check().findings == [])
    let report = try await store.undo(#require(commit).id)
    #expect(report.skipped == [])
    for number in captains.keys where number != 2023 {
      let state = try store.asOf(year(number).addingTimeInterval(10 * 86_400))
      #expect(try await state.require("boat")["captain"] == .reference("b"), "\(number)")
      let crew = try await state.collection(of: "boat", "crew") ?? []
      #expect(crew == (number >= 2022 ? ["b"] : []), "\(number)")
    }
    #expect(try await store.relatedIDs("boat", .free) == ["b"])
  }

  @Test func `refuses dead entities and other types, and then writes nothing`() async throws {
    let store = try await doubled(.memory, TestClock())
    let count = try await store.commitCount()
    for (other, code) in [("hat", VarveError.Code.typeMismatch), ("no", .notFound)] {
      let id = EntityID(unchecked: other)
      let error = await failure { try await store.mergeDuplicates([id], into: "one") }
      #expect(error?.code == code)
    }
    #expect(try await store.commitCount() == count)
  }
}
