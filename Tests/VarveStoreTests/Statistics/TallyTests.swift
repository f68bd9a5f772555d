import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("Counting the contents of a store")
struct TallyTests {
  @Test(arguments: Engine.allCases)
  func `every version counts, of the present and of a past state`(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.create("Hat", id: "a", ["color": "red", "size": 1])
    let frontier = try await store.frontier()
    clock.advance(by: 10_000)
    try await store.set("a", "color", "blue")
    try await store.remove("a", "size")
    try await store.set("a", "color", "old", at: .test(-100))
    let tally = try await store.tally()
    #expect(tally.commitCount == 4)
    #expect(tally.valueCount == 4)
    #expect(tally.removalCount == 1)
    let then = try await store.asOf(frontier).tally()
    #expect(then.commitCount == 1)
    #expect(then.valueCount == 2)
    let before = try await store.asOf(.test(-50)).tally()
    #expect(before.commitCount == 0)
    #expect(before.valueCount == 1)
  }

  @Test(arguments: Engine.allCases)
  func `a commit's frontier is all its author had seen`(engine: Engine) async throws {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    try await here.create("Hat", id: "a")
    try await there.merge(from: here)
    let (_, commit) = try await there.commit { try await $0.create("Hat", id: "b") }
    let seen = try #require(commit).id
    try await here.create("Hat", id: "c")
    try await here.merge(from: there)
    let state = here.asOf(try await here.frontier(of: seen))
    #expect(try await state.allIDs() == ["a", "b"])
    let other = try await makeStore(engine)
    let error = await failure { _ = try await other.frontier(of: seen) }
    #expect(error?.code == .notFound)
  }

  @Test(arguments: Engine.allCases)
  func `identifiers of all types are in creation order`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      for (index, type) in ["Z", "A", "M", "A"].enumerated() {
        try await tx.create(EntityType(type), id: EntityID("\(index)"))
      }
      let inside = try await tx.allIDs()
      #expect(inside == ["0", "1", "2", "3"])
    }
    try await store.create("Q", id: "early", at: .test(-100))
    try await store.erase("2")
    #expect(try await store.allIDs() == ["early", "0", "1", "3"])
    #expect(try await store.asOf(.test(-50)).allIDs() == ["early"])
  }

  @Test(arguments: Engine.allCases)
  func `past states list their conflicts`(engine: Engine) async throws {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    try await here.create("Hat", id: "a")
    try await there.merge(from: here)
    try await here.set("a", "color", "red")
    try await there.set("a", "color", "blue")
    try await here.merge(from: there)
    let apart = try await here.frontier()
    let conflicts = try await here.conflicts()
    #expect(conflicts.count == 1)
    try await here.set("a", "color", "green")
    #expect(try await here.conflicts().isEmpty)
    #expect(try await here.asOf(apart).conflicts() == conflicts)
    #expect(try await here.asOf(.empty).conflicts().isEmpty)
  }

  @Test func `the sizes of tables add up to log and content; a store in memory has no file`()
    async throws
  {
    let store = try await makeStore(.file)
    try await store.write { tx in
      for index in 0..<500 { try await tx.create("Hat", ["size": .int(Int64(index))]) }
    }
    let sizes = try await store.storageSizes()
    #expect(sizes.tables.contains { $0.name == "Hat" && !$0.isLog && $0.byteCount > 5_000 })
    #expect(sizes.tables.contains { $0.name == "varve_block" && $0.isLog })
    #expect(sizes.logByteCount > 0)
    let sum = sizes.tables.reduce(0) { $0 + $1.byteCount }
    #expect(sizes.logByteCount + sizes.derivedByteCount == sum)
    #expect(sizes.fileByteCount + sizes.writeAheadByteCount > 0)
    let memory = try await makeStore(.memory)
    let inMemory = try await memory.storageSizes()
    #expect(inMemory.fileByteCount == 0)
    #expect(inMemory.tables.count > 10)
  }

  @Test func `if pages cannot be counted by table, the values are measured`() async throws {
    let backend = try await SQLiteBackend.open(.inMemory)
    let store = Store(backend: backend)
    let before = try await backend.storage(by: .payload)
    #expect(!before.tables.contains { $0.name == "Hat" })
    try await store.create("Hat", id: "hat", ["color": "red", "price": 1.5])
    let sizes = try await backend.storage(by: .payload)
    #expect(sizes.measure == .payload)
    let hat = try #require(sizes.tables.first { $0.name == "Hat" })
    // row, id, datestamp, ordinal, color and price: 8 + 3 + 8 + 8 + 3 + 8
    #expect(hat.byteCount == 38)
  }
}
