import Foundation
import Synchronization
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

private struct Refusal: Error {}

@Suite("Transactions")
struct TransactionTests {
  @Test(arguments: Engine.allCases)
  func `a write is one commit, and returns the result of its closure`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let (result, commit) = try await store.commit(author: "sam", message: "first") { tx in
      #expect(tx.author == "sam")
      #expect(tx.message == "first")
      try await tx.create("t", id: "a")
      try await tx.create("t", id: "b")
      return 7
    }
    #expect(result == 7)
    #expect(commit?.author == "sam")
    #expect(try await store.log() == [commit])
  }

  @Test(arguments: Engine.allCases)
  func `a write that writes nothing makes no commit`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let (result, commit) = try await store.commit { tx in try await tx.count(Query("t")) }
    #expect(result == 0)
    #expect(commit == nil)
    #expect(try await store.commitCount() == 0)
  }

  @Test(arguments: Engine.allCases)
  func `reads through the transaction see its changes`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      try await tx.create("t", id: "a", ["x": 1])
      #expect(try await tx.require("a")["x"] == 1)
      #expect(try await tx.count(Query("t")) == 1)
      #expect(try await tx.fetch(Query("t")).map(\.id) == ["a"])
    }
  }

  @Test(arguments: Engine.allCases)
  func `others do not see a write before it is done`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      try await tx.create("t", id: "a")
      let elsewhere = Task.detached { try await store.entity("a") }
      #expect(try await elsewhere.value == nil)
    }
  }

  @Test(arguments: Engine.allCases)
  func `a write inside a write of the same store is refused`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let other = try await makeStore(engine)
    try await store.write { tx in
      let errors = [
        await failure { try await store.write { _ in } },
        await failure { try await store.create("t") },
        await failure { try await store.merge(from: other) },
        await failure { _ = try await store.check() },
        await failure { try await store.close() },
        await failure { try await store.rebuild() },
      ]
      #expect(errors.allSatisfy { $0?.code == .nestedTransaction })
      try await other.write { inner in
        #expect(await failure { try await store.create("t") }?.code == .nestedTransaction)
        try await inner.create("t", id: "other")
        try await tx.create("t", id: "a")
      }
    }
    #expect(try await store.live("a") == ["a"])
    #expect(try await other.live("other") == ["other"])
  }

  @Test(arguments: Engine.allCases)
  func `a transaction ends with its closure`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let kept = try await store.write { tx in tx }
    let errors = [
      await failure { try await kept.create("t") },
      await failure { _ = try await kept.entity("a") },
      await failure { for try await _ in kept.stream(Query("t")) {} },
    ]
    #expect(errors.allSatisfy { $0?.code == .transactionEnded })
    #expect(try await store.commitCount() == 0)
  }

  @Test(arguments: Engine.allCases)
  func `a closure that throws leaves no trace`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1])
    let before = try await store.frontier()
    await #expect(throws: Refusal.self) {
      try await store.write { tx in
        try await tx.create("t", id: "b")
        try await tx.set("a", "x", 2)
        try await tx.erase("a")
        throw Refusal()
      }
    }
    #expect(try await store.frontier() == before)
    #expect(try await store.require("a")["x"] == 1)
    #expect(try await store.status(of: "b") == .unknown)
  }

  @Test(arguments: Engine.allCases)
  func `a write whose task is cancelled leaves no trace`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let task = Task {
      try await store.write { tx in
        try await tx.create("t", id: "a")
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await store.commitCount() == 0)
    #expect(try await store.status(of: "a") == .unknown)
  }

  @Test(arguments: Engine.allCases)
  func `eight tasks writing at once lose nothing`(engine: Engine) async throws {
    // Beside a thousand other tests the last of the eight may wait long for its turn.
    let store = try await makeStore(engine) { $0.writerPatience = .seconds(120) }
    try await store.create("Counter", id: "c", ["n": 0])
    try await withThrowingTaskGroup { group in
      for worker in 0..<8 {
        group.addTask {
          for _ in 0..<5 {
            try await store.write(author: "w\(worker)") { tx in
              let n = try await tx.require("c")["n"]?.intValue ?? 0
              try await tx.set("c", "n", .int(n + 1))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.require("c")["n"] == 40)
    #expect(try await store.commitCount() == 41)
  }

  @Test(arguments: Engine.allCases)
  func `eight tasks saving one identifier create it once`(engine: Engine) async throws {
    let store = try await makeStore(engine) { $0.writerPatience = .seconds(120) }
    let outcomes = try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try await store.save("t", id: "a", ["x": 1]) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.filter { $0 == .created }.count == 1)
    #expect(outcomes.filter { $0 == .unchanged }.count == 7)
  }

  @Test(arguments: Engine.allCases)
  func `child tasks may share a transaction`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      try await withThrowingTaskGroup { group in
        for index in 0..<50 {
          group.addTask {
            let id = try await tx.create("t", ["n": .int(Int64(index))])
            try await tx.set(id, "seen", .bool(tx.entity(id) != nil))
          }
        }
        try await group.waitForAll()
      }
    }
    #expect(try await store.count(Query("t").where(Field("seen") == true)) == 50)
    #expect(try await store.commitCount() == 1)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `a transaction used inside its own reader is refused, not stuck`(engine: Engine) async throws
  {
    let store = try await makeStore(engine)
    try await store.write { tx in
      let error = await failure {
        try await tx.reading { _ in _ = try await tx.entity("a") }
      }
      #expect(error?.code == .nestedTransaction)
    }
  }

  @Test(arguments: Engine.reopened)
  func `a store opened for reading refuses to write`(engine: Engine) async throws {
    let store = try await makeStore(engine) { $0.isReadOnly = true }
    #expect(await failure { try await store.create("t") }?.code == .readOnly)
    #expect(await failure { try await store.merge(from: store) }?.code == .readOnly)
    #expect(try await store.count(Query("t")) == 0)
  }

  @Test(arguments: Engine.allCases)
  func `a waiting write fails after its patience`(engine: Engine) async throws {
    let store = try await makeStore(engine) { $0.writerPatience = .milliseconds(30) }
    try await store.write { tx in
      let waiting = Task.detached { await failure { try await store.create("t") } }
      #expect(await waiting.value?.code == .busy)
    }
  }

  @Test(arguments: Engine.allCases)
  func `author and message have a greatest length`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let long = String(repeating: "m", count: 70_000)
    #expect(
      await failure { try await store.write(author: long) { _ in } }?.code == .invalidArgument
    )
    #expect(
      await failure { try await store.write(message: long) { _ in } }?.code == .invalidArgument
    )
  }
}
