import Foundation
import Testing
import VarveCore
import VarveStore
import VarveStoreTestSupport
import VarveTestSupport

private struct Refusal: Error {}

@Suite("A part of a transaction that throws", .timeLimit(.minutes(5)))
struct AttemptTests {
  @Test(arguments: Engine.allCases)
  func `a part of a transaction that throws is undone, and the rest is committed`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.create("t", id: "old", ["x": 1])
    try await store.write { tx in
      try await tx.create("t", id: "before", ["x": 1])
      await #expect(throws: Refusal.self) {
        try await tx.attempt {
          try await tx.create("t", id: "inside", ["x": 1])
          try await tx.set("old", "x", 2)
          try await tx.relate("before", .owns, "old")
          try await tx.erase("before")
          #expect(try await tx.status(of: "old") == .dead)
          throw Refusal()
        }
      }
      #expect(try await tx.status(of: "inside") == .unknown)
      #expect(try await tx.require("old")["x"] == 1)
      try await tx.create("t", id: "after", ["x": 1])
    }
    #expect(try await store.allIDs() == ["old", "before", "after"])
    #expect(try await store.history(of: "old", "x").count == 1)
    #expect(try await store.commitCount() == 2)
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `leaves types and keys that others may define differently`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      for attempt in 0..<3 {
        _ = try? await tx.attempt {
          try await tx.create(EntityType("new \(attempt)"), id: "a", ["x": 1, "y": "text"])
          try await tx.set("a", "z", 1.5)
          throw Refusal()
        }
        try await tx.create(EntityType("kept \(attempt)"), ["y": 1, "x": "text", "z": .bool(true)])
      }
    }
    let kept = try await store.fetch(Query("kept 1"))
    #expect(kept.map(\.properties).map { $0["x"]?.value } == ["text"])
    #expect(try await store.types().map(\.type) == ["kept 0", "kept 1", "kept 2"])
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `a part of a transaction that throws may have failed halfway`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "known")
    try await store.write { tx in
      let rows: [(EntityID, [Value?])] = [("new", [1]), ("known", [2])]
      let thrown = await failure {
        try await tx.attempt { try await tx.create("t", keys: ["x"], rows: rows) }
      }
      #expect(thrown?.code == .duplicateIdentifier)
      let caught = await failure {
        try await tx.attempt { try? await tx.create("t", keys: ["x"], rows: rows) }
      }
      #expect(caught?.code == .duplicateIdentifier)
      try await tx.set("known", "x", 3)
    }
    #expect(try await store.live("new", "known") == ["known"])
    #expect(try await store.require("known")["x"] == 3)
  }

  @Test(arguments: Engine.allCases)
  func `a part of a transaction that throws may be inside another part`(engine: Engine) async throws
  {
    let store = try await makeStore(engine)
    try await store.write { tx in
      try await tx.attempt {
        try await tx.create("t", id: "a")
        _ = try? await tx.attempt {
          try await tx.create("t", id: "b")
          try await tx.attempt { try await tx.create("t", id: "c") }
          throw Refusal()
        }
        try await tx.attempt { try await tx.create("t", id: "d") }
      }
      _ = try? await tx.attempt {
        try await tx.attempt { try await tx.create("t", id: "e") }
        throw Refusal()
      }
    }
    #expect(try await store.live("a", "b", "c", "d", "e") == ["a", "d"])
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `a part of a transaction that throws makes no commit if nothing else is written`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let (_, commit) = try await store.commit { tx in
      _ = try? await tx.attempt {
        try await tx.create("t", id: "a")
        throw Refusal()
      }
    }
    #expect(commit == nil)
    #expect(try await store.status(of: "a") == .unknown)
  }

  @Test(arguments: Engine.allCases)
  func `may have filled blocks and touched many values`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let count = engine == .reference ? 30 : 3_000
    try await store.write { tx in
      for round in 0..<3 {
        let ids = (0..<count).map { EntityID(stringLiteral: "\(round) \($0)") }
        let text = String(repeating: "x", count: 300)
        let rows = ids.map { ($0, [Value.string(text + $0.text)] as [Value?]) }
        try await tx.create("t", keys: ["x"], rows: rows)
        _ = try? await tx.attempt {
          let more = rows.map { (EntityID(stringLiteral: "no " + $0.0.text), $0.1) }
          try await tx.create("t", keys: ["x"], rows: more)
          for id in ids { try await tx.set(id, "x", .string(text + "changed")) }
          throw Refusal()
        }
        try await tx.set(ids[0], "x", "kept")
      }
    }
    #expect(try await store.count(Query("t")) == 3 * count)
    #expect(try await store.history(of: "1 0", "x").map(\.value) == ["kept"])
    #expect(try await store.history(of: "2 1", "x").count == 1)
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `a part of a transaction that throws is not observed`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1])
    var changes = try await store.changes().makeAsyncIterator()
    try await store.write { tx in
      try await tx.create("t", id: "b")
      _ = try? await tx.attempt {
        try await tx.create("u", id: "c")
        try await tx.set("a", "x", 2)
        throw Refusal()
      }
    }
    let change = try await changes.next()
    #expect(change?.added == ["b"])
    #expect(change?.changed == [])
    #expect(change?.types == ["t"])
  }

  @Test(arguments: Engine.allCases)
  func `a part of a transaction that throws keeps values that it purged`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1])
    try await store.write { tx in
      _ = try? await tx.attempt {
        try await tx.purge(["a"])
        throw Refusal()
      }
      try await tx.create("t", id: "b")
    }
    #expect(try await store.require("a")["x"] == 1)
    #expect(try await store.history(of: "a", "x").count == 1)
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `does not contain what other tasks write meanwhile`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      try await withThrowingTaskGroup { group in
        for index in 0..<20 {
          let (kept, undone) = ("kept \(index)", "undone \(index)")
          group.addTask { _ = try await tx.create("t", id: EntityID(stringLiteral: kept)) }
          group.addTask {
            _ = try? await tx.attempt {
              async let first = tx.create("t", id: EntityID(stringLiteral: undone))
              async let second = tx.create("t")
              _ = try await (first, second)
              throw Refusal()
            }
          }
        }
        try await group.waitForAll()
      }
    }
    #expect(try await store.count(Query("t")) == 20)
    #expect(try await store.check().isClean)
  }

  @Test(arguments: Engine.allCases)
  func `a part of a transaction that throws cannot be used after its end`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.write { tx in
      let (proceed, signal) = AsyncStream<Void>.makeStream()
      let late = try await tx.attempt {
        Task {
          for await _ in proceed {}
          return await failure { try await tx.create("t") }
        }
      }
      signal.finish()
      #expect(await late.value?.code == .transactionEnded)
    }
  }

  @Test(arguments: Engine.allCases)
  func `reads what it wrote, and the store is refused in it as well`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      try await tx.attempt {
        try await tx.create("t", id: "a")
        #expect(try await tx.entity("a") != nil)
        #expect(try await tx.count(Query("t")) == 1)
        #expect(await failure { _ = try await store.entity("a") }?.code == .nestedTransaction)
      }
    }
  }

  @Test(arguments: Engine.allCases)
  func `goes on where its time continues a value in the future`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1])
    try await store.set("a", "x", 2, at: .test(1_000))
    try await store.write { tx in
      _ = try? await tx.attempt {
        try await tx.set("a", "x", 3)
        throw Refusal()
      }
      try await tx.set("a", "x", 4)
      try await tx.set("a", "x", 5)
    }
    #expect(try await store.require("a")["x"] == 5)
    #expect(try await store.check().isClean)
  }

  @Test func `is what the message about a write inside a write names`() async throws {
    let store = try await makeStore(.memory)
    try await store.write { _ in
      let error = await failure { try await store.write { _ in } }
      #expect(error?.code == .nestedTransaction)
      #expect(error?.remedy?.contains("attempt") == true)
    }
  }
}

@Suite("Attempts of random operations")
struct RandomAttemptTests {
  @Test(arguments: 0..<12 as Range<UInt64>)
  func `leave the state that the kept operations alone make`(seed: UInt64) async throws {
    for engine in Engine.allCases { try await compare(seed, engine) }
  }

  /// Writes the same operations twice: with the undone ones in attempts, and without them.
  private func compare(_ seed: UInt64, _ engine: Engine) async throws {
    let (tried, plain) = (try await makeStore(engine), try await makeStore(engine))
    let cast = StoreCast(seed: seed)
    var generator = StoreStepGenerator(seed: seed, cast: cast, sessionCount: 2, habits: [.saves])
    let operations = generator.steps(60).flatMap { step -> [StoreOperation] in
      if case .write(_, let operations, _, _) = step { operations } else { [] }
    }
    for start in stride(from: 0, to: min(operations.count, 96), by: 24) {
      let parts = stride(from: start, to: min(start + 24, operations.count), by: 4).map {
        operations[$0..<min($0 + 4, operations.count)]
      }
      try await tried.write { tx in
        for (index, operations) in parts.enumerated() {
          _ = try? await tx.attempt {
            for operation in operations { try? await operation.apply(to: tx) }
            if index % 2 == 0 { throw Refusal() }
          }
        }
      }
      try await plain.write { tx in
        for (index, operations) in parts.enumerated() where index % 2 == 1 {
          _ = try? await tx.attempt {
            for operation in operations { try? await operation.apply(to: tx) }
          }
        }
      }
    }
    #expect(try await Self.state(of: tried) == Self.state(of: plain), "seed \(seed), \(engine)")
    #expect(try await tried.check().isClean, "seed \(seed), \(engine)")
  }

  private static func state(of store: Store) async throws -> [String] {
    var lines: [String] = []
    for id in try await store.allIDs() {
      let properties = try await store.require(id).properties.sorted { $0.key < $1.key }
      lines.append("\(id) \(properties.map { "\($0.key)=\($0.value)" })")
    }
    return lines
  }
}
