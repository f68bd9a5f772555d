import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("Many tasks in one process")
struct ManyTasksTests {
  @Test(arguments: Kind.allCases)
  func `many tasks in one process take turns, and no reader sees half of a write`(kind: Kind)
    async throws
  {
    let scratch = try Scratch()
    let store = Store(backend: try await kind.open(scratch))
    try await store.write { tx in
      for id in ["left", "right"] as [EntityID] { try await tx.create("Scale", id: id, ["n": 0]) }
    }
    let reads = try await withThrowingTaskGroup(of: Int.self) { group in
      for writer in 0..<8 { group.addTask { try await write(writer, store) } }
      for _ in 0..<8 { group.addTask { try await readUntilDone(store) } }
      return try await group.reduce(0, +)
    }
    #expect(reads > 8)
    #expect(try await store.log().map(\.id.sequence) == (1...401).reversed())
    #expect(try await store.history(of: "left", "n").count == 401)
    #expect(try await store.check().findings == [])
    try await store.close()
  }

  private func write(_ writer: Int, _ store: Store) async throws -> Int {
    for n in 0..<50 {
      try await store.write(author: "writer \(writer)") { tx in
        let value = Value.int(Int64(writer * 100 + n))
        try await tx.set("left", "n", value)
        await Task.yield()
        try await tx.set("right", "n", value)
        try await tx.create(EntityType("Made by \(writer)"), [PropertyKey("key \(n)"): value])
      }
    }
    return 0
  }

  /// Reads until all writers are done; returns the number of reads.
  private func readUntilDone(_ store: Store) async throws -> Int {
    var reads = 0
    while true {
      reads += 1
      try await Task.sleep(for: .milliseconds(3))
      let isDone = try await store.read { snapshot in
        let left = try await snapshot.require("left")["n"]
        await Task.yield()
        let count = try await snapshot.log(limit: 1).first?.id.sequence
        let right = try await snapshot.require("right")["n"]
        #expect(left == right)
        #expect(try await snapshot.log(limit: 1).first?.id.sequence == count)
        return count == 401
      }
      if isDone { return reads }
    }
  }

  @Test(arguments: [Kind.file])
  func `a snapshot is of the moment it was begun`(kind: Kind) async throws {
    let scratch = try Scratch()
    let store = Store(backend: try await kind.open(scratch))
    try await store.create("Hat", id: "hat")
    let other = Store(backend: try await kind.open(scratch))
    let count = try await store.read { snapshot in
      try await other.create("Hat", id: "other")
      return try await snapshot.count(Query("Hat"))
    }
    #expect(count == 1)
    try await other.close()
    try await store.close()
  }

  @Test func `a write inside a write is refused, also through the functions it calls`() async throws
  {
    let store = Store(backend: try await openBackend())
    try await store.write { tx in
      try await tx.create("Hat", id: "hat")
      await expectRefusal(.nestedTransaction, place: false) { try await store.create("Hat") }
      await expectRefusal(.nestedTransaction, place: false) { try await store.rebuild() }
    }
    #expect(try await store.count(Query("Hat")) == 1)
    try await store.close()
  }

  @Test(arguments: Kind.allCases)
  func `every use after the end is refused`(kind: Kind) async throws {
    let scratch = try Scratch()
    let store = Store(backend: try await kind.open(scratch))
    let other = Store(backend: try await openBackend())
    try await store.create("Hat", id: "hat")
    try await store.close()
    try await store.close()
    let uses: [() async throws -> Void] = [
      { try await store.create("Hat") }, { _ = try await store.entity("hat") },
      { _ = try await store.fetch(Query("Hat")) }, { _ = try await store.log() },
      { _ = try await store.check() }, { try await store.rebuild() },
      { _ = try await store.frontier() }, { _ = try await store.replica() },
      { try await store.merge(from: other) }, { try await other.merge(from: store) },
      { _ = try await store.asOf(Moment.now).count(Query("Hat")) },
      { for try await _ in store.stream(Query("Hat"), pageSize: 1) {} },
    ]
    for use in uses { await expectRefusal(.closed) { try await use() } }
    try await other.close()
  }

  @Test(arguments: Kind.allCases)
  func `a writer of the same process that waits too long gets an error`(kind: Kind) async throws {
    let scratch = try Scratch()
    var configuration = Store.Configuration()
    configuration.writerPatience = .milliseconds(200)
    let store = Store(backend: try await kind.open(scratch), configuration: configuration)
    let (stream, entered) = AsyncStream.makeStream(of: Void.self)
    async let holder: Void = store.write { tx in
      try await tx.create("Held", id: "held")
      entered.finish()
      try await Task.sleep(for: .milliseconds(1_500))
    }
    for await _ in stream {}
    let start = ContinuousClock.now
    await expectRefusal(.busy) { try await store.create("Hat") }
    #expect(ContinuousClock.now - start < .milliseconds(1_400))
    try await holder
    #expect(try await store.log().count == 1)
    try await store.close()
  }

  @Test(arguments: Kind.allCases)
  func `a writer without patience does not wait at all`(kind: Kind) async throws {
    let scratch = try Scratch()
    let backend = try await kind.open(scratch)
    let request = WriteRequest(patienceMilliseconds: 0)
    for _ in 0..<50 {
      let (stream, entered) = AsyncStream.makeStream(of: Void.self)
      let holder = Task {
        try await backend.write(WriteRequest()) { _ in
          entered.finish()
          try await Task.sleep(for: .seconds(3))
        }
      }
      for await _ in stream {}
      await expectRefusal(.busy) { _ = try await backend.write(request) { _ in } }
      let cancelled = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        _ = try await backend.write(WriteRequest()) { _ in }
      }
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      #expect(!holder.isCancelled)
      holder.cancel()
      await #expect(throws: CancellationError.self) { try await holder.value }
    }
    try await backend.close()
  }

  @Test(arguments: Kind.allCases)
  func `a write that is cancelled while it waits leaves no trace`(kind: Kind) async throws {
    let scratch = try Scratch()
    let store = Store(backend: try await kind.open(scratch))
    let (stream, entered) = AsyncStream.makeStream(of: Void.self)
    async let holder: Void = store.write { tx in
      try await tx.create("Held", id: "held")
      entered.finish()
      try await Task.sleep(for: .milliseconds(300))
    }
    for await _ in stream {}
    let waiting = Task { try await store.create("Hat") }
    try await Task.sleep(for: .milliseconds(50))
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    try await holder
    try await store.create("Hat")
    #expect(try await store.log().map(\.id.sequence) == [2, 1])
    try await store.close()
  }
}
