import Foundation
import Synchronization
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Durable writes that share a transaction", .timeLimit(.minutes(1)))
struct DurableGroupTests {
  private func open(
    _ path: String,
    patience: Duration = .seconds(30)
  ) async throws -> Store {
    var configuration = Store.Configuration()
    configuration.durability = .synchronized
    configuration.writerPatience = patience
    return try await Store.open(path, configuration: configuration)
  }

  /// Returns the number of transactions in a write-ahead log that was never reset: the frames whose
  /// header has a commit marker ("Database File Format", section 4.1).
  private func transactionCount(_ path: String) throws -> Int {
    let log = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
    let pageSize = log[8..<12].reduce(0) { $0 << 8 | Int($1) }
    return stride(from: 32, to: log.count, by: 24 + pageSize)
      .count { frame in log[frame + 4..<frame + 8].contains { $0 != 0 } }
  }

  @Test func `are commits of their own in fewer transactions, in the order of observers`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("store.varve")
    let store = try await open(path)
    try await store.create("Hat", id: "first", ["n": 1])
    let before = try transactionCount(path)
    let changes = try await store.changes()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask { try await store.create("Hat", id: EntityID("\(number)"), ["n": 1]) }
      }
      try await group.waitForAll()
    }
    let log = try await store.log()
    #expect(log.count == 201)
    #expect(log.map(\.id.sequence) == (1...201).reversed())
    #expect(zip(log, log.dropFirst()).allSatisfy { $0.time > $1.time })
    let count = try transactionCount(path) - before
    #expect(count > 0 && count < 200, "\(count)")
    var seen: [EntityID] = []
    while let set = changes.poll() { seen += set.added }
    #expect(Set(seen).count == 200)
    #expect(try await store.types().first?.count == 201)
    #expect(try await store.check().isClean)
    try await store.close()
    let again = try await Store.open(path)
    #expect(try await again.log() == log)
    try await again.close()
  }

  @Test func `fail alone: one that is refused, or whose caller has gone, leaves no trace`()
    async throws
  {
    let scratch = try Scratch()
    let store = try await open(scratch.path("store.varve"))
    try await store.create("Hat", id: "taken")
    let refusals = await withTaskGroup(of: VarveError.Code?.self) { group in
      for number in 0..<90 {
        group.addTask {
          await failure {
            if number % 3 == 0 {
              try await store.create("Hat", id: "taken", ["n": 2])
            } else {
              let key = PropertyKey("new \(number)")
              try await store.create("Hat", id: EntityID("\(number)"), ["n": 1, key: 2])
            }
          }?.code
        }
      }
      return await group.reduce(into: [VarveError.Code]()) { if let code = $1 { $0.append(code) } }
    }
    #expect(refusals == Array(repeating: .duplicateIdentifier, count: 30))
    let cancelled = (0..<60).map { number in
      let task = Task { try await store.create("Cap", id: EntityID("cap-\(number)")) }
      if number % 2 == 0 { task.cancel() }
      return task
    }
    var kept = 0
    for task in cancelled where (try? await task.value) != nil { kept += 1 }
    #expect(kept >= 30)
    #expect(try await store.log().count == 1 + 60 + kept)
    #expect(try await store.types().map(\.count) == [kept, 61])
    #expect(try await store.entity("taken")?["n"] == nil)
    #expect(try await store.check().isClean)
    try await store.close()
  }

  @Test func `are busy together if another process holds the file, and go on when it has ended`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("store.varve")
    let store = try await open(path, patience: .milliseconds(300))
    let other = try await Store.open(path)
    try await other.write { tx in
      try await tx.create("Cap", id: "cap")
      await withTaskGroup(of: VarveError.Code?.self) { group in
        for number in 0..<8 {
          // A task that inherited the write's scope would be inside it.
          group.addTask {
            await Task.detached {
              await failure { try await store.create("Hat", id: EntityID("\(number)")) }?.code
            }.value
          }
        }
        for await code in group { #expect(code == .busy) }
      }
    }
    try await store.create("Hat", id: "hat")
    #expect(try await store.log().count == 2)
    #expect(try await store.check().isClean)
    for store in [store, other] { try await store.close() }
  }

  @Test func `are not held up by a hook that waits for those before it`() async throws {
    let scratch = try Scratch()
    let store = try await open(scratch.path("store.varve"))
    for number in 0..<10 { try await store.create("Cap", id: EntityID("cap-\(number)")) }
    let writers = Mutex<[EntityID: Task<EntityID, any Error>]>([:])
    store.willErase { _, state in
      // What the hook sees was written before.
      for hat in try await state.fetch(Query("Hat")) {
        _ = try await writers.withLock { $0[hat.id] }?.value
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<10 {
        for part in 0..<8 {
          let id = try EntityID("hat-\(number)-\(part)")
          writers.withLock { $0[id] = Task { try await store.create("Hat", id: id) } }
        }
        group.addTask { _ = try await store.erase(EntityID("cap-\(number)")) }
      }
      try await group.waitForAll()
    }
    for writer in writers.withLock({ Array($0.values) }) { _ = try await writer.value }
    #expect(try await store.count(Query("Hat")) == 80)
    try await store.close()
  }

  @Test func `wait for no closure of another caller, and no closure waits for them`() async throws {
    let scratch = try Scratch()
    let store = try await open(scratch.path("store.varve"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<80 {
        group.addTask {
          guard number % 2 == 0 else {
            try await store.create("Hat", id: EntityID("\(number)"))
            return
          }
          try await store.write { tx in
            let count = try await tx.types().first { $0.type == "Hat" }?.count ?? 0
            try await tx.create("Hat", id: EntityID("\(number)"), ["before": .int(Int64(count))])
          }
        }
      }
      try await group.waitForAll()
    }
    // Each closure saw all that came before it.
    let hats = try await store.fetch(Query("Hat"))
    #expect(hats.count == 80)
    #expect(Set(hats.compactMap { $0["before"] }).count == 40)
    #expect(try await store.check().isClean)
    try await store.close()
  }
}
