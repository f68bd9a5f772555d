import Foundation
import Testing
import VarveCore
import VarveReferences
import VarveStore
import VarveTestSupport

@Suite("An observer of a store")
struct ChangeTests {
  @Test(arguments: Engine.allCases)
  func `an observer of a store receives additions, changes and deletions once per commit`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "old", ["x": 1])
    try await store.create("u", id: "gone")
    let changes = try await store.changes()
    try await store.write(author: "sam") { tx in
      try await tx.create("t", id: "new", ["x": 1])
      try await tx.set("new", "y", 2)
      try await tx.set("old", ["x": 2, "z": 3])
      try await tx.erase("gone")
      try await tx.create("v", id: "passing")
      try await tx.erase("passing")
    }
    let change = try #require(changes.poll())
    #expect(change.origin == .local)
    #expect(change.action == .write)
    #expect(change.added == ["new"])
    #expect(change.changed == ["old"])
    #expect(change.erased == ["gone"])
    #expect(change.keys == ["x", "z"])
    #expect(change.keysByEntity == ["old": ["x", "z"]])
    #expect(change.types.isSuperset(of: ["t", "u"]))
    #expect(change.commit.author == "sam")
    #expect(changes.poll() == nil)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `receives each commit once, even if the log is read meanwhile`(engine: Engine) async throws {
    let (store, other) = (try await makeStore(engine), try await makeStore(engine))
    let changes = try await store.changes()
    let count = 60
    async let own: Void = {
      for n in 0..<count { try await store.create("t", id: EntityID("own \(n)")) }
    }()
    async let second: Void = {
      for n in 0..<count { try await store.create("t", id: EntityID("second \(n)")) }
    }()
    for n in 0..<count {
      try await other.create("t", id: EntityID("other \(n)"))
      try await store.merge(from: other)
    }
    _ = try await (own, second)
    try await store.reportNews()
    var told: [ChangeSet.Origin: [EntityID]] = [:]
    while let change = changes.poll() { told[change.origin, default: []] += change.added }
    #expect(told[.local]?.count == 2 * count)
    #expect(Set(told[.local] ?? []).count == 2 * count)
    #expect(told[.elsewhere] ?? [] == [])
    #expect(told[.merge]?.map(\.text) == (0..<count).map { "other \($0)" })
  }

  @Test(arguments: Engine.allCases)
  func `an observer of a store receives the call, and the keys of each entity`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1, "y": 1])
    try await store.create("t", id: "b", ["x": 1])
    let changes = try await store.changes()
    _ = try await store.findOrCreate([EntityReference("c").creating("t", ["r": .to(.new("u"))])])
    try await store.set([
      EntityReference("a").updating(["x": 1]), EntityReference("b").updating(["y": 2]),
      EntityReference("d").creating("t").updating(["x": 1]),
    ])
    try await store.update([EntityReference("a").updating(["x": 1, "y": 2])])
    try await store.remove(["y"], of: ["a", "nobody"])
    try await store.erase("a")
    try await store.restore("a")
    var told: [ChangeSet] = []
    while let change = changes.poll() { told.append(change) }
    #expect(told.map(\.action) == [.findOrCreate, .set, .update, .remove, .erase, .restore])
    #expect(told[0].added.count == 2)
    #expect(told[0].added.first == "c")
    #expect(told[1].added == ["d"])
    #expect(told[1].keysByEntity == ["a": ["x"], "b": ["y"]])
    #expect(told[2].keysByEntity == ["a": ["y"]])
    #expect(told[3].keys == ["y"])
    #expect(told[4].erased == ["a"])
    #expect(told[5].added == ["a"])
  }

  @Test(arguments: Engine.allCases)
  func `an observer of a store receives a cascade once, in the order hooks run`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("c", "b", "a", "other")
    try await store.own(("a", "c"), ("c", "b"), ("other", "other"))
    let changes = try await store.changes()
    try await store.erase(["a"])
    #expect(changes.poll()?.erased == ["a", "c", "b"])
    #expect(changes.poll() == nil)
  }

  @Test(
    arguments: Engine.allCases
  )
  func `receives nothing for writes that fail, are cancelled, or change nothing`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1])
    let changes = try await store.changes()
    await #expect(throws: VarveError.self) {
      try await store.write { tx in
        try await tx.set("a", "x", 2)
        try await tx.set("nobody", "x", 2)
      }
    }
    let task = Task {
      try await store.write { tx in
        try await tx.set("a", "x", 3)
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await store.update("a", ["x": 1])
    try await store.remove("a", "none")
    _ = try await store.findOrCreate(["a"])
    store.willErase { _, _ in throw VarveError(.hookRefused, "no") }
    await #expect(throws: VarveError.self) { try await store.erase("a") }
    #expect(changes.poll() == nil)
  }

  @Test(arguments: Engine.allCases)
  func `an observer of a store loses nothing between a read and the subscription`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.own(("a", "b"))
    let read = try await store.frontier()
    try await store.set("a", "x", 1)
    try await store.create("t", id: "c")
    try await store.erase("a")
    let changes = try await store.changes(since: read)
    try await store.set("c", "x", 1)
    var told: [ChangeSet] = []
    while let change = changes.poll() { told.append(change) }
    try #require(told.map(\.origin) == [.past, .past, .past, .local])
    #expect(told[0].keysByEntity == ["a": ["x"]])
    #expect(told[1].added == ["c"])
    #expect(told[2].erased.sorted() == ["a", "b"])
    #expect(told[3].changed == ["c"])
  }

  @Test(arguments: Engine.allCases)
  func `an observer of a store receives a merge as one change set with its origin`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let other = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1])
    try await store.create("t", id: "e")
    try await other.merge(from: store)
    try await other.set("a", "x", 2)
    try await other.create("u", id: "b")
    try await other.erase("e")
    let changes = try await store.changes()
    try await store.merge(from: other)
    try await store.set("a", "y", 1)
    let merge = try #require(changes.poll())
    #expect(merge.origin == .merge)
    #expect(merge.action == .merge)
    #expect(merge.added == ["b"])
    #expect(merge.erased == ["e"])
    #expect(merge.keysByEntity == ["a": ["x"]])
    #expect(merge.commitCount == 3)
    #expect(merge.types == ["t", "u"])
    #expect(changes.poll()?.origin == .local)
    try await store.merge(from: other)
    #expect(changes.poll() == nil)
  }

  @Test func `an observer of a store that does not keep up receives the rest as one change set`()
    async throws
  {
    let store = try await makeStore(.memory)
    let changes = try await store.changes()
    for number in 0..<1_100 { try await store.create("t", id: EntityID("\(number)")) }
    var told: [ChangeSet] = []
    while let change = changes.poll() { told.append(change) }
    #expect(told.count == 1_024)
    #expect(told.last?.commitCount == 1_100 - 1_023)
    #expect(told.flatMap(\.added).count == 1_100)
  }

  @Test(arguments: [Engine.memory, .file]
  )
  func `an observer of a store gets changes in the order of commits, from many writers`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let changes = try await store.changes()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<6 {
        group.addTask {
          for number in 0..<20 {
            try await store.create("t", id: try EntityID("\(task) \(number)"))
          }
        }
      }
      try await group.waitForAll()
    }
    var told: [Int64] = []
    while let change = changes.poll() { told.append(change.commit.id.sequence) }
    #expect(told == Array(1...120))
  }

  @Test(arguments: [Engine.memory, .file])
  func `an observer of a store that begins during a write receives its changes`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let gate = AsyncStream<Void>.makeStream()
    let begun = AsyncStream<Void>.makeStream()
    let writing = Task {
      try await store.write { tx in
        try await tx.create("t", id: "a")
        begun.continuation.finish()
        for await _ in gate.stream {}
      }
    }
    for await _ in begun.stream {}
    // A memory store's readers wait for the writer, and so does the subscription.
    let subscription = Task { try await store.changes() }
    if engine == .file {
      let changes = try await subscription.value
      gate.continuation.finish()
      try await writing.value
      var iterator = changes.makeAsyncIterator()
      #expect(try await iterator.next()?.added == ["a"])
    } else {
      gate.continuation.finish()
      try await writing.value
      try await store.create("t", id: "b")
      var iterator = try await subscription.value.makeAsyncIterator()
      #expect(try await iterator.next()?.added.isEmpty == false)
    }
  }

  @Test func `of an iteration sees the end when the store is closed, and a cancellation`()
    async throws
  {
    let store = try await makeStore(.file)
    let changes = try await store.changes()
    let waiting = Task {
      var count = 0
      for try await _ in changes { count += 1 }
      return count
    }
    try await store.create("t")
    let cancelled = Task { for try await _ in try await store.changes() {} }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    try await store.close()
    #expect(try await waiting.value == 1)
    await #expect(throws: VarveError.self) { _ = try await store.changes() }
  }
}
