import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("To-many properties")
struct CollectionTests {
  @Test(arguments: Engine.allCases)
  func `never set is not empty`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("t", "a")
    #expect(try await store.collection(of: "t", "players") == nil)
    #expect(try await store.setCollection("t", "players", to: []))
    #expect(try await store.collection(of: "t", "players") == [])
    #expect(try await !store.setCollection("t", "players", to: []))
    try await store.remove("t", "players")
    #expect(try await store.collection(of: "t", "players") == nil)
  }

  @Test(arguments: Engine.allCases)
  func `a list keeps order and repetitions; sets show each once`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("t", "a", "b", "c")
    try await store.setCollection("t", "x", to: ["b", "a", "b"])
    #expect(try await store.collection(of: "t", "x") == ["b", "a", "b"])
    #expect(try await store.collection(of: "t", "x", as: .orderedSet) == ["b", "a"])
    try await store.setCollection("t", "x", to: ["a", "c", "a", "b"], as: .orderedSet)
    #expect(try await store.collection(of: "t", "x") == ["a", "c", "b"])
    try await store.setCollection("t", "x", to: ["b", "c"], as: .set)
    #expect(try await store.collection(of: "t", "x") == ["c", "b"])
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `any list becomes any other, by its difference`(seed: UInt64) async throws {
    let store = try await makeStore(seed % 6 == 0 ? .reference : .memory)
    var random = SplitMix64(seed: seed)
    try await store.createNodes("t", "a", "b", "c", "d", "e")
    let names: [EntityID] = ["a", "b", "c", "d", "e"]
    for _ in 0..<8 {
      let list = (0..<Int.random(in: 0...9, using: &random)).map { _ in random.pick(names) }
      let before = try await store.collection(of: "t", "x")
      #expect(try await store.setCollection("t", "x", to: list) == (before != list))
      #expect(try await store.collection(of: "t", "x") == list)
    }
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `several changes in one transaction see each other`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("t", "a", "b", "c")
    try await store.write { tx in
      try await tx.setCollection("t", "x", to: ["a", "c"])
      try await tx.setCollection("t", "x", to: ["a", "b", "c"])
      try await tx.addToCollection("t", "x", ["a"])
      try await tx.removeFromCollection("t", "x", ["c"])
      #expect(try await tx.collection(of: "t", "x") == ["a", "b", "a"])
    }
    #expect(try await store.collection(of: "t", "x") == ["a", "b", "a"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `concurrent changes of a list are all kept`(engine: Engine) async throws {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    try await here.createNodes("t", "a", "b", "c", "d", "e")
    try await here.setCollection("t", "x", to: ["a", "b", "c"])
    try await there.merge(from: here)
    try await here.setCollection("t", "x", to: ["a", "d", "b", "c"])
    try await there.setCollection("t", "x", to: ["a", "b", "e"])
    try await here.merge(from: there)
    try await there.merge(from: here)
    #expect(try await here.collection(of: "t", "x") == ["a", "d", "b", "e"])
    #expect(try await there.collection(of: "t", "x") == ["a", "d", "b", "e"])
    #expect(try await here.conflicts().isEmpty)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `dead elements are not shown until they are restored; unknown ones are`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("t", "a", "b")
    try await store.setCollection("t", "x", to: ["a", "unknown", "b"])
    try await store.erase("a")
    #expect(try await store.collection(of: "t", "x") == ["unknown", "b"])
    await #expect(throws: VarveError.self) { try await store.setCollection("t", "x", to: ["a"]) }
    try await store.restore("a")
    #expect(try await store.collection(of: "t", "x") == ["a", "unknown", "b"])
    try await store.erase("t")
    #expect(try await store.collection(of: "t", "x") == nil)
    await #expect(throws: VarveError.self) { try await store.setCollection("t", "x", to: ["b"]) }
  }

  @Test(arguments: Engine.allCases)
  func `a past state has its own elements`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("t", "a", "b")
    try await store.setCollection("t", "x", to: ["a"])
    let then = try await store.frontier()
    try await store.setCollection("t", "x", to: ["b", "a"])
    try await store.set("t", "x", "a single value")
    #expect(try await store.collection(of: "t", "x") == nil)
    #expect(try await store.asOf(then).collection(of: "t", "x") == ["a"])
  }

  @Test(arguments: Engine.allCases)
  func `update with nil ends it`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("t", "a")
    try await store.setCollection("t", "x", to: ["a"])
    #expect(try await store.update("t", ["x": nil]))
    #expect(try await store.collection(of: "t", "x") == nil)
    #expect(try await !store.update("t", ["x": nil]))
  }

  @Test(arguments: Engine.allCases)
  func `it holds from the time of the transaction`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("T", id: "t", at: .test(0))
    try await store.write(at: .test(1)) { tx in
      try await tx.setCollection("t", "x", to: ["a"])
      try await tx.addToCollection("t", "x", ["b"])
    }
    #expect(try await store.asOf(.test(2)).collection(of: "t", "x") == ["a", "b"])
  }

  @Test(arguments: Engine.allCases)
  func `a new life starts without elements`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("t", "a")
    try await store.setCollection("t", "x", to: ["a"])
    try await store.erase("t")
    try await store.createNodes("t")
    #expect(try await store.collection(of: "t", "x") == nil)
    #expect(try await store.setCollection("t", "x", to: []))
    #expect(try await store.collection(of: "t", "x") == [])
  }
}
