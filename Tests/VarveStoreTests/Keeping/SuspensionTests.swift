import Foundation
import Synchronization
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("A suspended store", .timeLimit(.minutes(2)))
struct SuspensionTests {
  let scratch: Scratch
  private var path: String { scratch.path("store") }

  init() throws { scratch = try Scratch() }

  /// The files of the store that this process has open.
  private var openFiles: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }.filter { $0.hasPrefix(path) }
    }
  }

  private func expectSuspended(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
  ) async {
    let error = await failure(body)
    let what = error.map { "\($0)" } ?? "nothing was refused"
    #expect(error?.code == .suspended, "\(what)", sourceLocation: sourceLocation)
    #expect(error?.place != nil && error?.remedy != nil, sourceLocation: sourceLocation)
  }

  @Test(arguments: [false, true])
  func `a suspended store has no file open, refuses every call, and goes on as it was`(
    isReadOnly: Bool
  ) async throws {
    var configuration = Store.Configuration()
    let made = try await Store.open(path)
    try await made.create("Hat", id: "hat-1", ["color": "red"])
    try await made.close()
    configuration.isReadOnly = isReadOnly
    let store = try await Store.open(path, configuration: configuration)
    let other = scratch.path("other")
    _ = try await store.fetch(Query("Hat"))
    #expect(try !openFiles.isEmpty)
    try await store.suspend()
    try await store.suspend()
    #expect(try openFiles == [])
    await expectSuspended { _ = try await store.fetch(Query("Hat")) }
    await expectSuspended { _ = try await store.entity("hat-1") }
    await expectSuspended { _ = try await store.history(of: "hat-1") }
    await expectSuspended { _ = try await store.asOf(.distantPast).count(Query("Hat")) }
    await expectSuspended { _ = try await store.frontier() }
    await expectSuspended { _ = try await store.check() }
    await expectSuspended { _ = try await store.backup(to: other) }
    await expectSuspended { for try await _ in store.stream(Query("Hat")) {} }
    if !isReadOnly {
      await expectSuspended { try await store.set("hat-1", "color", "blue") }
      await expectSuspended { try await store.write { _ in } }
      await expectSuspended { try await store.rebuild() }
      await expectSuspended { try await store.addIndex(on: "color", of: "Hat") }
      await expectSuspended { try await store.flush() }
      await expectSuspended { _ = try await store.merge(from: Store.open(.inMemory)) }
    }
    #expect(try openFiles == [])
    #expect(!FileManager.default.fileExists(atPath: other))
    try await store.resume()
    try await store.resume()
    #expect(try await store.require("hat-1")["color"] == "red")
    if !isReadOnly { try await store.set("hat-1", "color", "blue") }
    #expect(try await store.check().isClean)
    try await store.close()
    #expect(try openFiles == [])
  }

  @Test func `a suspended store reports what others wrote meanwhile, once it is resumed`()
    async throws
  {
    let store = try await Store.open(path)
    try await store.create("Hat", id: "hat-1")
    var changes = try await store.changes().makeAsyncIterator()
    try await store.create("Hat", id: "hat-2")
    #expect(try await changes.next()?.added == ["hat-2"])
    try await store.suspend()
    #expect(try openFiles == [])
    let other = try await Store.open(path)
    try await other.create("Hat", id: "hat-3")
    try await other.close()
    // A look of the poller opens nothing.
    try await Task.sleep(for: .milliseconds(200))
    #expect(try openFiles == [])
    try await store.resume()
    #expect(try await changes.next()?.added == ["hat-3"])
    try await store.create("Hat", id: "hat-4")
    #expect(try await changes.next()?.added == ["hat-4"])
    try await store.close()
  }

  @Test func `ends a write that had begun at its next step, and those that wait for it`()
    async throws
  {
    let store = try await Store.open(path)
    let before = try await store.frontier()
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let writing = Task {
      try await store.write { tx in
        try await tx.create("Hat", id: "hat-1")
        begin.yield()
        while true {
          try await tx.set("hat-1", "size", .int(.random(in: 0..<9)))
          try await Task.sleep(for: .milliseconds(1))
        }
      }
    }
    for await _ in begun { break }
    let waiting = (0..<4).map { number in
      Task { try await store.create("Hat", id: try EntityID("waiting \(number)")) }
    }
    try await Task.sleep(for: .milliseconds(20))
    try await store.suspend()
    #expect(try openFiles == [])
    await expectSuspended { try await writing.value }
    for one in waiting { await expectSuspended { _ = try await one.value } }
    try await store.resume()
    #expect(try await store.frontier() == before)
    #expect(try await store.check().isClean)
    try await store.create("Hat", id: "hat-1")
    try await store.close()
  }

  @Test func `a suspended store waits for a read, and releases the file when the read ends`()
    async throws
  {
    let store = try await Store.open(path)
    try await store.create("Hat", id: "hat-1")
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let (ended, end) = AsyncStream<Void>.makeStream()
    let reading = Task {
      try await store.read { state in
        _ = try await state.count(Query("Hat"))
        begin.yield()
        for await _ in ended { break }
        return try await state.count(Query("Hat"))
      }
    }
    for await _ in begun { break }
    let error = await failure { try await store.suspend(patience: .milliseconds(50)) }
    #expect(error?.code == .busy && error?.place != nil && error?.remedy != nil)
    await expectSuspended { _ = try await store.entity("hat-1") }
    #expect(try !openFiles.isEmpty)
    end.yield()
    _ = try? await reading.value
    #expect(try openFiles == [])
    try await store.suspend()
    try await store.resume()
    #expect(try await store.count(Query("Hat")) == 1)
    try await store.close()
  }

  @Test func `a suspended store waits for a write, and releases the file when the write ends`()
    async throws
  {
    let store = try await Store.open(path)
    try await store.create("Hat", id: "hat-1")
    _ = try await store.count(Query("Hat"))
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let (ended, end) = AsyncStream<Void>.makeStream()
    let writing = Task {
      try await store.write { tx in
        try await tx.set("hat-1", "color", "red")
        begin.yield()
        for await _ in ended { break }
      }
    }
    for await _ in begun { break }
    let error = await failure { try await store.suspend(patience: .milliseconds(50)) }
    #expect(error?.code == .busy && error?.place != nil && error?.remedy != nil)
    await expectSuspended { _ = try await store.entity("hat-1") }
    end.yield()
    // Its closure made no call after the suspension, so it is committed.
    try await writing.value
    #expect(try openFiles == [])
    try await store.resume()
    #expect(try await store.require("hat-1")["color"] == "red")
    try await store.close()
  }

  @Test func `a suspended store ends a long statement, an import and a rebuild without a trace`()
    async throws
  {
    let store = try await Store.open(path)
    try await store.write { tx in
      for number in 0..<3_000 {
        try await tx.create("Hat", id: try EntityID("\(number)"), ["size": .int(Int64(number))])
      }
    }
    for number in 0..<60 { try await store.set("1", "size", .int(Int64(number))) }
    let copy = try await Store.open(.inMemory)
    for number in 0..<3_000 { try await copy.create("Cap", id: try EntityID("cap \(number)")) }
    let calls: [@Sendable () async throws -> Void] = [
      {
        _ = try await store.rows(
          sql:
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
        )
      },
      {
        while true {
          _ = try await store.merge(from: copy)
          _ = try await store.count(Query("Hat"))
        }
      },
      { while true { try await store.rebuild() } },
      { while true { _ = try await store.check() } },
    ]
    for (number, call) in calls.enumerated() {
      let before = try await CanonicalExport(of: store.backend)
      let running = Task { try await call() }
      try await Task.sleep(for: .milliseconds(60))
      try await store.suspend(patience: .seconds(30))
      #expect(try openFiles == [], "call \(number)")
      await expectSuspended { try await running.value }
      try await store.resume()
      #expect(try await store.check().isClean, "call \(number)")
      // The second call merges, and may have done so before the suspension.
      if number != 1 {
        #expect(try await CanonicalExport(of: store.backend) == before, "call \(number)")
      }
    }
    _ = try await store.merge(from: copy)
    #expect(try await store.count(Query("Cap")) == 3_000)
    try await store.close()
  }

  private final class Progress: Sendable {
    let acknowledged = Mutex<Set<EntityID>>([])
    let isOver = Atomic(false)
  }

  @Test
  func `can be suspended at any moment of many writes and reads: nothing acknowledged is lost`()
    async throws
  {
    let store = try await Store.open(path)
    let progress = Progress()
    let workers = (0..<4).map { worker in
      Task {
        var number = 0
        while !progress.isOver.load(ordering: .relaxed) {
          number += 1
          let id = EntityID(unchecked: "\(worker) \(number)")
          do {
            try await store.create("Hat", id: id)
            progress.acknowledged.withLock { _ = $0.insert(id) }
            #expect(try await store.exists(id))
          } catch let error as VarveError where error.code == .suspended {
            try await Task.sleep(for: .milliseconds(1))
          }
        }
      }
    }
    for round in 0..<40 {
      try await Task.sleep(for: .milliseconds(Int64(round % 7)))
      try await store.suspend(patience: .seconds(30))
      #expect(try openFiles == [], "round \(round)")
      try await store.resume()
    }
    try await Task.sleep(for: .milliseconds(50))
    progress.isOver.store(true, ordering: .relaxed)
    for worker in workers { try await worker.value }
    let ids = Set(try await store.fetch(Query("Hat")).map(\.id))
    let known = progress.acknowledged.withLock { $0 }
    #expect(!known.isEmpty && ids == known)
    #expect(try await store.check().isClean)
    try await store.close()
  }

  @Test func `a suspended store can be closed, and a closed one not be suspended`() async throws {
    let store = try await Store.open(path)
    try await store.create("Hat", id: "hat-1")
    try await store.suspend()
    try await store.close()
    #expect(try openFiles == [])
    #expect(await failure { try await store.suspend() }?.code == .closed)
    #expect(await failure { try await store.resume() }?.code == .closed)
    let again = try await Store.open(path)
    #expect(try await again.exists("hat-1"))
    try await again.close()
  }

  @Test func `finds that its file was moved meanwhile, and writes nothing to another`() async throws
  {
    let store = try await Store.open(path)
    try await store.create("Hat", id: "hat-1")
    try await store.suspend()
    let away = scratch.path("away")
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.moveItem(atPath: path + suffix, toPath: away + suffix)
    }
    let another = try await Store.open(path)
    try await another.close()
    for call in [
      { try await store.resume() }, { try await store.set("hat-1", "color", "red") },
      { _ = try await store.entity("hat-1") },
    ] {
      #expect(await failure(call)?.code == .inputOutput)
    }
    try? await store.close()
    #expect(try await Store.open(path).count(Query("Hat")) == 0)
    #expect(try await Store.open(away).count(Query("Hat")) == 1)
  }

  @Test func `a suspended store in memory goes on; inside its own write it cannot be suspended`()
    async throws
  {
    let memory = try await Store.open(.inMemory)
    try await memory.create("Hat", id: "hat-1")
    try await memory.suspend()
    #expect(try await memory.exists("hat-1"))
    try await memory.resume()
    let store = try await Store.open(path)
    for call in [{ try await store.suspend() }, { try await store.resume() }] {
      let error = await failure { try await store.write { _ in try await call() } }
      #expect(error?.code == .nestedTransaction)
    }
    try await store.create("Hat", id: "hat-1")
    try await store.close()
  }

  @Test func `a suspended store applies a withheld commit that became due meanwhile`() async throws
  {
    let clock = TestClock()
    let late = TestClock()
    var configuration = Store.Configuration()
    configuration.wallMilliseconds = clock.reading()
    let store = try await Store.open(path, configuration: configuration)
    var ahead = configuration
    late.advance(by: 3_600_000)
    ahead.wallMilliseconds = late.reading()
    let other = try await Store.open(.inMemory, configuration: ahead)
    try await other.create("Hat", id: "hat-1")
    let report = try await store.merge(from: other)
    #expect(report.withheldCount == 1)
    try await store.suspend()
    clock.advance(by: 7_200_000)
    try await store.resume()
    #expect(try await store.exists("hat-1"))
    try await store.close()
  }

  @Test func `that nobody shares reports its own writes, and looks for no others`() async throws {
    var configuration = Store.Configuration()
    configuration.sharing = .thisStore
    let store = try await Store.open(path, configuration: configuration)
    #expect(try store.backend.changeProbe() == nil)
    var changes = try await store.changes().makeAsyncIterator()
    try await store.create("Hat", id: "hat-1")
    #expect(try await changes.next()?.added == ["hat-1"])
    try await store.suspend()
    try await store.resume()
    try await store.create("Hat", id: "hat-2")
    #expect(try await changes.next()?.added == ["hat-2"])
    try await store.close()
  }
}
