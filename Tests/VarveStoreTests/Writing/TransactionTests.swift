import Foundation
import Synchronization
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

private struct Refusal: Error {}

@Suite("Transactions")
struct TransactionTests {
  @Test("A write is one commit, and returns the result of its closure", arguments: Engine.allCases)
  func writeCommitAnswersClosure(engine: Engine) async throws {
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

  @Test("A write that writes nothing makes no commit", arguments: Engine.allCases)
  func writeWritesNothingMakes(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let (result, commit) = try await store.commit { tx in try await tx.count(Query("t")) }
    #expect(result == 0)
    #expect(commit == nil)
    #expect(try await store.commitCount() == 0)
  }

  @Test("Reads through the transaction see its changes", arguments: Engine.allCases)
  func readsThroughTransaction(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      try await tx.create("t", id: "a", ["x": 1])
      #expect(try await tx.require("a")["x"] == 1)
      #expect(try await tx.count(Query("t")) == 1)
      #expect(try await tx.fetch(Query("t")).map(\.id) == ["a"])
    }
  }

  @Test("Others do not see a write before it is done", arguments: Engine.allCases)
  func othersSeeWriteBefore(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      try await tx.create("t", id: "a")
      let elsewhere = Task.detached { try await store.entity("a") }
      #expect(try await elsewhere.value == nil)
    }
  }

  @Test("A write inside a write of the same store is refused", arguments: Engine.allCases)
  func writeInsideWriteSame(engine: Engine) async throws {
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

  @Test("A transaction ends with its closure", arguments: Engine.allCases)
  func transactionEndsClosure(engine: Engine) async throws {
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

  @Test("A closure that throws leaves no trace", arguments: Engine.allCases)
  func closureThrowsLeavesNo(engine: Engine) async throws {
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

  @Test("A write whose task is cancelled leaves no trace", arguments: Engine.allCases)
  func writeWhoseTaskCancelled(engine: Engine) async throws {
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

  @Test("Eight tasks writing at once lose nothing", arguments: Engine.allCases)
  func eightTasksWritingOnce(engine: Engine) async throws {
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

  @Test("Eight tasks saving one identifier create it once", arguments: Engine.allCases)
  func eightTasksSavingIdentifier(engine: Engine) async throws {
    let store = try await makeStore(engine) { $0.writerPatience = .seconds(120) }
    let outcomes = try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try await store.save("t", id: "a", ["x": 1]) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.filter { $0 == .created }.count == 1)
    #expect(outcomes.filter { $0 == .unchanged }.count == 7)
  }

  @Test("Child tasks may share a transaction", arguments: Engine.allCases)
  func childTasksMayShare(engine: Engine) async throws {
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
    "A transaction used inside its own reader is refused, not stuck",
    arguments: Engine.allCases
  )
  func transactionUsedInsideOwn(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      let error = await failure {
        try await tx.reading { _ in _ = try await tx.entity("a") }
      }
      #expect(error?.code == .nestedTransaction)
    }
  }

  @Test("A store opened for reading refuses to write", arguments: Engine.reopened)
  func storeOpenedReadingRefuses(engine: Engine) async throws {
    let store = try await makeStore(engine) { $0.isReadOnly = true }
    #expect(await failure { try await store.create("t") }?.code == .readOnly)
    #expect(await failure { try await store.merge(from: store) }?.code == .readOnly)
    #expect(try await store.count(Query("t")) == 0)
  }

  @Test("A waiting write fails after its patience", arguments: Engine.allCases)
  func waitingWriteGivesUp(engine: Engine) async throws {
    let store = try await makeStore(engine) { $0.writerPatience = .milliseconds(30) }
    try await store.write { tx in
      let waiting = Task.detached { await failure { try await store.create("t") } }
      #expect(await waiting.value?.code == .busy)
    }
  }

  @Test("Author and message have a greatest length", arguments: Engine.allCases)
  func authorMessageGreatestLength(engine: Engine) async throws {
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
