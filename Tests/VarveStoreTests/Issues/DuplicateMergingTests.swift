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

  @Test("moves references, elements, edges and missing properties", arguments: Engine.allCases)
  func merging(engine: Engine) async throws {
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

  @Test("leaves a duplicate that is restored later without its owners", arguments: Engine.allCases)
  func restoring(engine: Engine) async throws {
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

  @Test("is one commit, which can be undone", arguments: Engine.allCases)
  func undoing(engine: Engine) async throws {
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

  @Test("takes the newest values, or none, by the policy")
  func policies() async throws {
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

  @Test("keeps alive an entity that a duplicate owned", arguments: Engine.allCases)
  func ownedByDouble(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c", "owner")
    try await store.own(("a", "b"), ("b", "c"), ("c", "a"), ("owner", "c"))
    try await store.mergeDuplicates(["a", "c"], into: "b")
    #expect(try await store.live("a", "b", "c") == ["b"])
    #expect(try await store.relatedIDs("owner", .owns) == ["b"])
    #expect(try await store.ownerlessCycles() == [])
    #expect(try await store.check().findings == [])
  }

  @Test("refuses dead entities and other types, and then writes nothing")
  func refusals() async throws {
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
