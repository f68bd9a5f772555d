import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// What observers receive of commits that others wrote, that wait for their time, or that change what
/// came before them.
@Suite("An observer of what arrives")
struct ArrivingChangeTests {
  @Test(arguments: [Engine.memory, .file])
  func `an observer of what arrives receives withheld commits when they are due`(engine: Engine)
    async throws
  {
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

  @Test func `receives what another session merged before the own changes of it`() async throws {
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

  @Test(arguments: [Engine.memory, .file]
  )
  func `receives a commit that is due before its chain's news`(engine: Engine) async throws {
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

  @Test(arguments: [true, false]
  )
  func `of joined changes receives the lost keys of what was created anew`(isMerged: Bool)
    async throws
  {
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

  @Test(arguments: [Engine.memory, .file])
  func `an observer of what arrives receives what dies by a withheld commit that is due`(
    engine: Engine
  ) async throws {
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

  @Test(arguments: Engine.allCases)
  func `an observer of what arrives receives a type that an earlier creation changed`(
    engine: Engine
  ) async throws {
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
    arguments: Engine.allCases
  )
  func `an observer receives what a purge took from an entity created anew at once`(engine: Engine)
    async throws
  {
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
    arguments: Engine.allCases
  )
  func `an observer receives an entity that a purge elsewhere emptied, and its undone life`(
    engine: Engine
  ) async throws {
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

  @Test func `receives a local commit after what another session of the file wrote before it`()
    async throws
  {
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

  @Test(arguments: Engine.allCases)
  func `receives an entity of which an earlier creation arrived`(engine: Engine) async throws {
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

  @Test(arguments: [Engine.memory, .file]
  )
  func `receives the former type of what is erased after a commit that falls due with it`(
    engine: Engine
  ) async throws {
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
