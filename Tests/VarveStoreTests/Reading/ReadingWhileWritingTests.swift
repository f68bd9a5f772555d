import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// In memory as in a file, a reader sees the last committed state, and waits for nobody.
@Suite("A store that is read while it is written")
struct ReadingWhileWritingTests {
  /// The write waits for the reader, so a reader that waits for the write fails.
  @Test(
    .timeLimit(.minutes(2)),
    arguments: Engine.allCases
  )
  func `shows others the last committed state through a long write`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "hat", ["color": "red"])
    try await store.write { tx in
      try await tx.set("hat", "color", "blue")
      let seen = try await Task.detached { try await store.require("hat")["color"] }.value
      #expect(seen == "red")
    }
    #expect(try await store.require("hat")["color"] == "blue")
  }

  @Test(arguments: Engine.allCases)
  func `lets live results show what others wrote before a long write`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "one")
    let results = try await store.observe(Query("Hat"))
    let (counts, continuation) = AsyncStream<Int>.makeStream()
    let watcher = Task.detached {
      for try await hats in results { continuation.yield(hats.count) }
    }
    defer { watcher.cancel() }
    var iterator = counts.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    try await store.create("Hat", id: "two")
    try await store.write { tx in
      try await tx.create("Hat", id: "three")
      #expect(await iterator.next(isolation: #isolation) == 2)
    }
    #expect(await iterator.next() == 3)
  }

  @Test func `shows a hook's own task the transaction, and others what was committed`() async throws
  {
    for engine in Engine.allCases {
      let store = try await makeStore(engine)
      try await store.create("Hat", id: "hat", ["color": "red"])
      let registration = store.willErase { hat, state in
        #expect(try await state.entity(hat.id)?["color"] == "blue")
        let committed = try await Task.detached { try await store.require("hat")["color"] }.value
        #expect(committed == "red")
      }
      try await store.write { tx in
        try await tx.set("hat", "color", "blue")
        try await tx.erase("hat")
      }
      #expect(try await store.entity("hat") == nil)
      _ = registration
    }
  }

  @Test(arguments: Engine.allCases)
  func `may be written by the task that streams from it`(engine: Engine) async throws {
    let store = try await makeStore(engine) { $0.writerPatience = .milliseconds(500) }
    try await store.write { tx in
      for number in 0..<2_500 { try await tx.create("Hat", id: EntityID("hat-\(number)")) }
    }
    var count = 0
    for try await hat in store.stream(Query("Hat"), pageSize: 100) {
      count += 1
      if count % 500 == 0 { try await store.set(hat.id, "seen", true) }
    }
    #expect(count == 2_500)
    #expect(try await store.count(Query("Hat").where(Field("seen") == true)) == 5)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `may be written inside a read, which goes on with its own state`(engine: Engine) async throws
  {
    let store = try await makeStore(engine) { $0.writerPatience = .milliseconds(500) }
    try await store.create("Hat", id: "hat", ["color": "red"])
    try await store.read { state in
      #expect(try await state.entity("hat")?["color"] == "red")
      try await store.set("hat", "color", "blue")
      #expect(try await state.entity("hat")?["color"] == "red")
      #expect(try await store.require("hat")["color"] == "blue")
    }
  }

  @Test(arguments: Engine.allCases)
  func `throws busy to a writer after its patience, in memory too`(engine: Engine) async throws {
    let store = try await makeStore(engine) { $0.writerPatience = .milliseconds(50) }
    try await store.write { _ in
      let code = await Task.detached {
        do { try await store.create("Hat") } catch { return (error as? VarveError)?.code }
        return nil
      }.value
      #expect(code == .busy)
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `in memory, many tasks that read and write see whole commits`() async throws {
    let store = try await makeStore(.memory) { $0.writerPatience = .seconds(60) }
    try await store.write { tx in
      try await tx.create("Pair", id: "one", ["n": 0])
      try await tx.create("Pair", id: "two", ["n": 0])
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          for number in 1...100 {
            try await store.write { tx in
              let pad = String(repeating: "x", count: number * 100)
              for id in ["one", "two"] as [EntityID] {
                let n = try await tx.require(id)["n"]?.intValue ?? 0
                try await tx.set(id, "n", .int(n + 1))
                try await tx.set(id, "pad", .string(pad))
              }
            }
          }
        }
      }
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<200 {
            let pairs = try await store.fetch(Query("Pair"))
            #expect(Set(pairs.map { $0["n"] }).count == 1)
            #expect(Set(pairs.map { $0["pad"] }).count == 1)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.require("one")["n"] == 300)
    #expect(try await store.check().findings == [])
  }
}
