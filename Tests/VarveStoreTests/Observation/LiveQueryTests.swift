import Synchronization
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("A live query")
struct LiveQueryTests {
  @Test(arguments: Engine.allCases)
  func `a live query returns results at once, and again when its type changes`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a", ["size": 8])
    let query = Query("Hat").where(Field("size") > 7)
    var answers = try await store.observe(query).makeAsyncIterator()
    #expect(try await answers.next()?.map(\.id) == ["a"])
    try await store.create("Hat", id: "b", ["size": 9])
    #expect(try await answers.next()?.map(\.id) == ["a", "b"])
    try await store.erase("a")
    #expect(try await answers.next()?.map(\.id) == ["b"])
  }

  @Test func `does not run for other types, and runs once for several commits meanwhile`()
    async throws
  {
    let store = try await makeStore(.memory)
    let runs = Mutex(0)
    let live = try await store.observe(["Hat"]) { snapshot in
      runs.withLock { $0 += 1 }
      return try await snapshot.count(Query("Hat"))
    }
    var answers = live.makeAsyncIterator()
    #expect(try await answers.next() == 0)
    try await store.create("Shop", id: "s")
    try await store.set("s", "name", "X")
    try await store.create("Hat")
    try await store.create("Hat")
    #expect(try await answers.next() == 2)
    #expect(runs.withLock { $0 } == 2)
    try await store.create("Shop")
    try await store.close()
    #expect(try await answers.next() == nil)
    #expect(runs.withLock { $0 } == 2)
  }
}
