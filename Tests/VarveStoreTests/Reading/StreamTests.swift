import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Streams")
struct StreamTests {
  private func filled(_ count: Int, _ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    try await store.create(
      "Row",
      keys: ["n"],
      rows: (0..<count).map { (EntityID(stringLiteral: "r\($0)"), [.int(Int64($0))]) }
    )
    return store
  }

  private func numbers(_ stream: EntityStream) async throws -> [Int64] {
    var numbers: [Int64] = []
    for try await row in stream { numbers.append(row["n"]?.intValue ?? -1) }
    return numbers
  }

  @Test(
    arguments: Engine.allCases,
    [1, 3, 10, 25, 1_000]
  )
  func `a stream delivers everything in order, for any page size`(engine: Engine, pageSize: Int)
    async throws
  {
    let store = try await filled(25, engine)
    #expect(try await numbers(store.stream(Query("Row"), pageSize: pageSize)) == Array(0..<25))
    #expect(try await numbers(store.stream(Query("None"), pageSize: pageSize)).isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `each iteration reads again`(engine: Engine) async throws {
    let store = try await filled(2, engine)
    let stream = store.stream(Query("Row"))
    #expect(try await numbers(stream) == [0, 1])
    try await store.create("Row", ["n": 2])
    #expect(try await numbers(stream) == [0, 1, 2])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `a stream reads one state, and its store may be written meanwhile`(engine: Engine)
    async throws
  {
    let store = try await filled(10, engine)
    var seen = 0
    for try await row in store.stream(Query("Row"), pageSize: 2) {
      try await store.set(row.id, "seen", true)
      try await store.create("Row", ["n": -1])
      seen += 1
    }
    #expect(seen == 10)
    #expect(try await store.count(Query("Row")) == 20)
  }

  @Test(arguments: Engine.allCases)
  func `a snapshot's stream leaves the snapshot usable`(engine: Engine) async throws {
    let store = try await filled(10, engine)
    try await store.read { snapshot in
      var seen: [EntityID] = []
      for try await row in snapshot.stream(Query("Row"), pageSize: 3) {
        #expect(try await snapshot.require(row.id)["n"] == row["n"])
        seen.append(row.id)
      }
      #expect(seen.count == 10)
    }
  }

  @Test(arguments: Engine.allCases)
  func `a transaction may be written through while it is streamed`(engine: Engine) async throws {
    let store = try await filled(10, engine)
    try await store.write { tx in
      for try await row in tx.stream(Query("Row"), pageSize: 3) { try await tx.erase(row.id) }
      #expect(try await tx.count(Query("Row")) == 0)
    }
  }

  @Test(arguments: Engine.allCases)
  func `a stream given up ends; a snapshot ends with streams open`(engine: Engine) async throws {
    let store = try await filled(100, engine)
    for try await _ in store.stream(Query("Row"), pageSize: 2) { break }
    let (left, snapshot) = try await store.read { snapshot async throws in
      var iterator = snapshot.stream(Query("Row"), pageSize: 2).makeAsyncIterator()
      #expect(try await iterator.next() != nil)
      return (iterator, snapshot)
    }
    var iterator = left
    #expect(try await iterator.next() != nil)
    let late = await failure { _ = try await iterator.next() }
    #expect(late?.code == .transactionEnded)
    #expect(await failure { _ = try await snapshot.entity("r1") }?.code == .transactionEnded)
  }

  @Test(arguments: Engine.allCases)
  func `a cancelled task's stream throws`(engine: Engine) async throws {
    let store = try await filled(10, engine)
    let task = Task {
      for try await _ in store.stream(Query("Row"), pageSize: 2) {
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(arguments: Engine.allCases)
  func `an error of the reading reaches the iteration`(engine: Engine) async throws {
    let store = try await filled(10, engine)
    let stream = store.stream(Query("Row"), pageSize: 2)
    try await store.close()
    #expect(await failure { _ = try await numbers(stream) }?.code == .closed)
  }

  @Test(arguments: Engine.allCases)
  func `past states stream too`(engine: Engine) async throws {
    let store = try await filled(5, engine)
    let past = store.asOf(try await store.frontier())
    try await store.create("Row", ["n": 9])
    #expect(try await numbers(past.stream(Query("Row"), pageSize: 2)) == Array(0..<5))
    #expect(
      try await past.read { try await numbers($0.stream(Query("Row"), pageSize: 2)) }.count == 5
    )
  }
}
