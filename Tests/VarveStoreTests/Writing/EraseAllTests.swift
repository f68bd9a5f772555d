import Testing
import VarveCore
import VarveStore
import VarveTestSupport

private struct Refusal: Error {}

@Suite("Erasing all entities of a query")
struct EraseAllTests {
  @Test(arguments: Engine.allCases)
  func `erasing all entities of a query ends what they alone own, with hooks`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.write { tx in
      for id in ["a", "b", "c"] as [EntityID] { try await tx.create("Shop", id: id, ["n": 1]) }
      try await tx.create("Hat", id: "h", ["n": 1])
      try await tx.relate("a", .owns, "h")
      try await tx.set("c", "n", 2)
    }
    let query = Query("Shop").where(Field("n") == 1)
    #expect(try await store.erase(query) == ["a", "h", "b"])
    #expect(try await store.erase(query) == [])
    #expect(try await store.allIDs() == ["c"])
    let last = try #require(try await store.log().first)
    try await store.undo(last.id)
    #expect(Set(try await store.allIDs()) == ["a", "b", "c", "h"])
    #expect(try await store.erase(Query("Shop").order(by: Field("n")).limit(1)) == ["a", "h"])
    #expect(try await store.check().isClean)
  }

  /// A store with hats 0 to 9, which own nothing and whose price is their number.
  private func makeHats(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    let rows = (0..<10).map { (EntityID(stringLiteral: "hat-\($0)"), [Value.int($0)] as [Value?]) }
    try await store.write { try await $0.create("Hat", keys: ["price"], rows: rows) }
    return store
  }

  private static let dear = Query("Hat").where(Field("price") > 6)

  @Test(arguments: Engine.allCases)
  func `ends those that own nothing, in the order of the query`(engine: Engine) async throws {
    let store = try await makeHats(engine)
    let before = try await store.frontier()
    var changes = try await store.changes().makeAsyncIterator()
    let (died, commit) = try await store.commit { tx in
      try await tx.erase(Self.dear.order(by: Field("price"), descending: true))
    }
    #expect(died == ["hat-9", "hat-8", "hat-7"])
    let change = try await changes.next()
    #expect(change?.erased == died)
    #expect(change?.types == ["Hat"])
    #expect(try await store.count(Query("Hat")) == 7)
    #expect(try await store.asOf(before).count(Self.dear) == 3)
    #expect(try await store.history(of: "hat-9").map(\.content).first == .life(.erased))
    #expect(try await store.check().isClean)
    let erasure = try #require(commit)
    #expect(try await store.undo(erasure.id).skipped.isEmpty)
    #expect(try await store.fetch(Self.dear).map(\.id) == ["hat-7", "hat-8", "hat-9"])
    #expect(try await store.erase(Query("Hat")).count == 10)
    #expect(try await store.erase(Query("Hat")) == [])
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `ends what was created anew, and what the transaction created`(engine: Engine) async throws {
    let store = try await makeHats(engine)
    try await store.erase(Self.dear)
    try await store.create("Hat", id: "hat-8", ["price": 80])
    try await store.write { tx in
      try await tx.create("Hat", id: "new", ["price": 90])
      try await tx.update(Query("Hat").where(Field("price") == 6), ["price": 60])
      #expect(try await tx.erase(Self.dear) == ["hat-6", "hat-8", "new"])
      #expect(try await tx.count(Self.dear) == 0)
      try await tx.create("Hat", id: "new", ["price": 100])
    }
    #expect(try await store.fetch(Self.dear).map(\.id) == ["new"])
    #expect(try await store.history(of: "hat-8", "price").map(\.value) == [80, 8])
    #expect(try await store.restore("hat-8") == ["hat-8"])
    #expect(try await store.require("hat-8")["price"] == 80)
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `erasing all entities of a query is undone in an attempt that throws`(engine: Engine)
    async throws
  {
    let store = try await makeHats(engine)
    try await store.write { tx in
      _ = try? await tx.attempt {
        try await tx.erase(Query("Hat"))
        throw Refusal()
      }
      let died = try await tx.erase(Self.dear.limit(1))
      #expect(died == ["hat-7"])
    }
    #expect(try await store.count(Query("Hat")) == 9)
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `erasing all entities of a query merges as single erasures do`(engine: Engine) async throws {
    let store = try await makeHats(engine)
    let other = try await makeStore(engine, clock: TestClock(milliseconds: 1_700_000_001_000))
    try await other.merge(from: store)
    try await store.erase(Self.dear)
    try await other.set("hat-8", "price", 88)
    try await other.relate("hat-7", .owns, "hat-1")
    try await store.merge(from: other)
    try await other.merge(from: store)
    #expect(Set(try await store.conflicts().map(\.entity)).isSuperset(of: ["hat-8"]))
    #expect(try await store.allIDs() == other.allIDs())
    #expect(try await store.conflicts() == other.conflicts())
    // One of them owns another.
    try await store.relate("hat-2", .owns, "hat-3")
    let live = try await store.allIDs()
    #expect(try await Set(store.erase(Query("Hat"))) == Set(live))
    #expect(try await store.check().isClean)
  }

  @Test func `erasing all entities of a query takes the words of what it erases from searches`()
    async throws
  {
    let store = try await makeHats(.memory)
    try await store.update(Self.dear, ["note": "red felt"])
    try await store.addSearch(on: ["note"], of: "Hat")
    let red = Query("Hat").where(.matches("red", [Field("note")]))
    #expect(try await store.erase(red.limit(1)) == ["hat-7"])
    #expect(try await store.erase(red) == ["hat-8", "hat-9"])
    #expect(try await store.count(red) == 0)
    #expect(try await store.check().isClean)
  }

  @Test(arguments: [Engine.memory, .file])
  func `erasing all entities of a query fills blocks and touches`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let rows = (0..<20_000).map { (EntityID.new(), [Value.int($0)] as [Value?]) }
    try await store.write { try await $0.create("t", keys: ["n"], rows: rows) }
    let first = Query("t").where(Field("n") < 18_000)
    #expect(try await store.erase(first) == rows.prefix(18_000).map(\.0))
    #expect(try await store.count(Query("t")) == 2_000)
    #expect(try await store.restore(rows[17_999].0) == [rows[17_999].0])
    #expect(try await store.fetch(first).map(\.id) == [rows[17_999].0])
    #expect(try await store.check().isClean)
  }
}
