import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("An observer of a store")
struct ChangeTests {
  @Test("receives additions, changes and deletions once per commit", arguments: Engine.allCases)
  func lists(engine: Engine) async throws {
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
    "receives each commit once, even if the log is read meanwhile",
    arguments: Engine.concurrent
  )
  func once(engine: Engine) async throws {
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

  @Test("receives the call, and the keys of each entity", arguments: Engine.allCases)
  func actions(engine: Engine) async throws {
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

  @Test("receives a cascade once, in the order hooks run", arguments: Engine.allCases)
  func cascade(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("c", "b", "a", "other")
    try await store.own(("a", "c"), ("c", "b"), ("other", "other"))
    let changes = try await store.changes()
    try await store.erase(["a"])
    #expect(changes.poll()?.erased == ["a", "c", "b"])
    #expect(changes.poll() == nil)
  }

  @Test(
    "receives nothing for writes that fail, are cancelled, or change nothing",
    arguments: Engine.allCases
  )
  func silence(engine: Engine) async throws {
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

  @Test("loses nothing between a read and the subscription", arguments: Engine.allCases)
  func sinceFrontier(engine: Engine) async throws {
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

  @Test("receives a merge as one change set with its origin", arguments: Engine.allCases)
  func merges(engine: Engine) async throws {
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

  @Test("that does not keep up receives the rest as one change set")
  func backPressure() async throws {
    let store = try await makeStore(.memory)
    let changes = try await store.changes()
    for number in 0..<1_100 { try await store.create("t", id: EntityID("\(number)")) }
    var told: [ChangeSet] = []
    while let change = changes.poll() { told.append(change) }
    #expect(told.count == 1_024)
    #expect(told.last?.commitCount == 1_100 - 1_023)
    #expect(told.flatMap(\.added).count == 1_100)
  }

  @Test(
    "gets changes in the order of commits, from many writers",
    arguments: [Engine.memory, .file]
  )
  func order(engine: Engine) async throws {
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

  @Test("that begins during a write receives its changes", arguments: [Engine.memory, .file])
  func lateSubscription(engine: Engine) async throws {
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

  @Test("of an iteration sees the end when the store is closed, and a cancellation")
  func ends() async throws {
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

  @Test("receives withheld commits when they are due", arguments: [Engine.memory, .file])
  func due(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    let ahead = TestClock()
    ahead.advance(by: 600_000)
    let other = try await makeStore(.memory, clock: ahead)
    try await other.create("t", id: "future")
    let changes = try await store.changes()
    try await store.merge(from: other)
    #expect(changes.poll() == nil)
    clock.advance(by: 600_000)
    // The next write applies due commits; a timer applies those that no write follows.
    try await store.create("t", id: "now")
    var iterator = changes.makeAsyncIterator()
    var sets: [ChangeSet] = []
    while sets.count < 2, let change = try await iterator.next() { sets.append(change) }
    #expect(sets.map(\.added) == [["future"], ["now"]])
    #expect(sets.map(\.origin) == [.due, .local])
  }

  @Test("receives what another session merged before the own changes of it")
  func mergedElsewhere() async throws {
    let scratch = try Scratch()
    let store = try await Store.open(scratch.path("store"))
    let session = try await Store.open(scratch.path("store"))
    let source = try await makeStore(.memory)
    for number in 0..<20 {
      let id = try EntityID("\(number)")
      try await source.create("t", id: id)
      let changes = try await store.changes()
      try await session.merge(from: source)
      try await store.set(id, "k", 1)
      try await store.reportNews()
      var sets: [ChangeSet] = []
      while let set = changes.poll() { sets.append(set) }
      #expect(sets.map(\.added) == [[id], []])
      #expect(sets.map(\.changed) == [[], [id]])
    }
    try await store.close()
    try await session.close()
  }

  @Test(
    "receives a commit that is due before its chain's news",
    arguments: [Engine.memory, .file]
  )
  func dueWithNews(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    let ahead = TestClock()
    ahead.advance(by: 600_000)
    let other = try await makeStore(.memory, clock: ahead)
    try await other.create("t", id: "first")
    let changes = try await store.changes()
    try await store.merge(from: other)
    try await other.create("t", id: "second")
    clock.advance(by: 600_000)
    try await store.merge(from: other)
    var iterator = changes.makeAsyncIterator()
    var added: [EntityID] = []
    while added.count < 2, let change = try await iterator.next() { added += change.added }
    #expect(added == ["first", "second"])
  }

  @Test(
    "of joined changes receives the lost keys of what was created anew",
    arguments: [true, false]
  )
  func joinedRebirth(isMerged: Bool) async throws {
    let store = try await makeStore(.memory)
    let other = try await makeStore(.memory)
    try await store.create("t", id: "a", ["x": 1, "y": 1])
    let changes = try await store.changes()
    for number in 0..<1_023 { try await store.create("t", id: EntityID("\(number)")) }
    try await store.set("a", "z", 1)
    try await store.erase("a")
    if isMerged {
      try await other.merge(from: store)
      try await other.create("u", id: "a", ["x": 2])
      try await store.merge(from: other)
    } else {
      try await store.create("u", id: "a", ["x": 2])
    }
    var received: [ChangeSet] = []
    while let change = changes.poll() { received.append(change) }
    let last = try #require(received.last)
    #expect(last.commitCount == 3)
    #expect(last.changed == ["a"])
    #expect(last.keysByEntity == ["a": ["x", "y", "z"]])
    #expect(last.types == ["t", "u"])
  }

  @Test("receives what dies by a withheld commit that is due", arguments: [Engine.memory, .file])
  func dueDeaths(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.createNodes("owner", "owned", "other")
    try await store.own(("owner", "owned"))
    let ahead = TestClock()
    ahead.advance(by: 600_000)
    let other = try await makeStore(.memory, clock: ahead)
    try await other.merge(from: store)
    try await other.erase("owner")
    try await other.set("other", "x", 1)
    let changes = try await store.changes()
    try await store.merge(from: other)
    clock.advance(by: 600_000)
    try await store.create("t", id: "now")
    var iterator = changes.makeAsyncIterator()
    var erased: [EntityID] = []
    var keys: [EntityID: Set<PropertyKey>] = [:]
    while keys.isEmpty, let change = try await iterator.next() {
      erased += change.erased
      keys.merge(change.keysByEntity) { $0.union($1) }
    }
    #expect(erased.sorted() == ["owned", "owner"])
    #expect(keys == ["other": ["x"]])
  }

  @Test("receives a type that an earlier creation changed", arguments: Engine.allCases)
  func earlierCreation(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1])
    let other = try await makeStore(engine)
    try await other.create("u", id: "a", at: Date(timeIntervalSince1970: 0))
    let changes = try await store.changes()
    try await store.merge(from: other)
    let change = try #require(changes.poll())
    #expect(change.added.isEmpty)
    #expect(change.changed == ["a"])
    #expect(change.types == ["t", "u"])
  }

  @Test(
    "receives the properties that a purge took from what is created anew in the same transaction",
    arguments: Engine.allCases
  )
  func purgedRebirth(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["x": 1])
    try await store.setCollection("a", "list", to: ["b"])
    let changes = try await store.changes()
    try await store.write { tx in
      _ = try await tx.purge(["a"])
      try await tx.create("u", id: "a", ["y": 1])
    }
    let change = try #require(changes.poll())
    #expect(change.types == ["t", "u"])
    #expect(change.keysByEntity == ["a": ["x", "y", "list"]])
  }

  @Test(
    "receives an entity that lost its values by a purge elsewhere, and its life by its undo again",
    arguments: Engine.allCases
  )
  func purgedElsewhere(engine: Engine) async throws {
    let (store, other) = (try await makeStore(engine), try await makeStore(engine))
    try await store.create("t", id: "a", ["x": 1])
    try await other.merge(from: store)
    let purge = try #require(try await other.commit { try await $0.purge(["a"]) }.commit)
    try await other.undo(purge.id)
    let changes = try await store.changes()
    try await store.merge(from: other)
    #expect(try await store.require("a").properties.isEmpty)
    let change = try #require(changes.poll())
    #expect(change.changed == ["a"])
    #expect(change.types == ["t"])
  }

  @Test("receives a local commit after what another session of the file wrote before it")
  func otherSession() async throws {
    let scratch = try Scratch()
    let one = try await Store.open(scratch.path("store"))
    let two = try await Store.open(scratch.path("store"))
    try await one.create("t", id: "a", ["x": 1])
    let changes = try await two.changes()
    try await one.erase("a")
    try await two.create("t", id: "a", ["y": 1])
    try await two.set("a", "y", 2)
    var received: [String] = []
    while received.count < 3 {
      try await two.reportNews()
      while let change = changes.poll() {
        received +=
          change.erased.map { "erased \($0)" } + change.added.map { "added \($0)" }
          + change.changed.map { "changed \($0)" }
        #expect(change.origin == (change.erased.isEmpty ? .local : .elsewhere))
      }
    }
    #expect(received == ["erased a", "added a", "changed a"])
  }

  @Test("receives an entity of which an earlier creation arrived", arguments: Engine.allCases)
  func earlierDatestamp(engine: Engine) async throws {
    let (store, other) = (try await makeStore(engine), try await makeStore(engine))
    try await store.create("t", id: "a")
    try await store.create("t", id: "b")
    let early = Date(timeIntervalSince1970: 0)
    try await other.create("t", id: "b", at: early)
    let before = try await store.frontier()
    let changes = try await store.changes()
    try await store.merge(from: other)
    #expect(try await store.fetch(Query("t")).map(\.id) == ["b", "a"])
    let change = try #require(changes.poll())
    #expect(change.changed == ["b"])
    #expect(change.types == ["t"])
    let difference = try await store.diff(from: .frontier(before))
    #expect(difference.changed.map(\.id) == ["b"])
    #expect(difference.changed.first?.datestamp?.new == (try HybridTime(early)))
  }

  @Test(
    "receives the former type of what is erased after a commit that falls due with it",
    arguments: [Engine.memory, .file]
  )
  func dueType(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.create("t", id: "a")
    let ahead = TestClock()
    ahead.advance(by: 600_000)
    let other = try await makeStore(.memory, clock: ahead)
    try await other.create("u", id: "a", at: Date(timeIntervalSince1970: 0))
    let changes = try await store.changes()
    try await store.merge(from: other)
    clock.advance(by: 600_000)
    // The write applies the other creation first, which gives the type.
    try await store.erase("a")
    try await store.reportNews()
    let due = try #require(changes.poll())
    #expect(due.changed == ["a"])
    #expect(due.types == ["t", "u"])
    let erasure = try #require(changes.poll())
    #expect(erasure.erased == ["a"])
    #expect(erasure.types == ["u"])
  }
}
