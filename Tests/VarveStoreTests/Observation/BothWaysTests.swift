import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// The changes of a commit are described equally when it is written, read from the log, and
/// received by a merge.
@Suite("A change set is the same after a write, from the log and after a merge")
struct BothWaysTests {
  private struct Told {
    let local: [ChangeSet]
    let past: [ChangeSet]
    let merged: ChangeSet?
  }

  private func told(
    _ engine: Engine,
    _ write: (Store) async throws -> Void
  ) async throws -> Told {
    let here = try await makeStore(engine)
    let there = try await makeStore(engine)
    try await here.write { tx in
      try await tx.create("A", id: "1")
      try await tx.create("B", id: "2")
    }
    try await there.merge(from: here)
    let before = try await here.frontier()
    let (local, foreign) = (try await here.changes(), try await there.changes())
    try await write(here)
    try await there.merge(from: here)
    let past = try await here.changes(since: before)
    var (first, second): ([ChangeSet], [ChangeSet]) = ([], [])
    while let change = local.poll() { first.append(change) }
    while let change = past.poll() { second.append(change) }
    return Told(local: first, past: second, merged: foreign.poll())
  }

  @Test(arguments: Engine.allCases)
  func `both ends of an ownership`(engine: Engine) async throws {
    let told = try await told(engine) { store in
      try await store.relate("1", .owns, "2")
      try await store.unrelate("1", .owns, "2")
    }
    for changes in [told.local, told.past] {
      #expect(changes.map { Set($0.changed) } == [["1", "2"], ["1", "2"]])
      #expect(changes.allSatisfy { $0.types == ["A", "B"] })
    }
    let owning = try await self.told(engine) { try await $0.relate("1", .owns, "2") }
    #expect(owning.merged.map { Set($0.changed) } == ["1", "2"])
    #expect(owning.merged?.types == ["A", "B"])
  }

  @Test(arguments: Engine.allCases)
  func `the keys of to-many properties`(engine: Engine) async throws {
    let told = try await told(engine) { store in
      try await store.setCollection("1", "c", to: ["2"])
      try await store.addToCollection("1", "c", ["2"])
      try await store.removeFromCollection("1", "c", ["2"])
    }
    for changes in [told.local, told.past] {
      #expect(changes.map(\.keysByEntity) == Array(repeating: ["1": ["c"]], count: 3))
    }
    let set = try await self.told(engine) { try await $0.setCollection("1", "c", to: ["2"]) }
    #expect(set.merged?.keysByEntity == ["1": ["c"]])
  }

  @Test(arguments: Engine.allCases)
  func `the properties that an entity lost when it was created anew`(engine: Engine) async throws {
    let told = try await told(engine) { store in
      try await store.set("1", "lost", 1)
      try await store.setCollection("1", "list", to: ["2"])
      try await store.write { tx in
        try await tx.erase("1")
        try await tx.create("A", id: "1", ["new": 2])
      }
    }
    for sets in [told.local, told.past] {
      let last = try #require(sets.last)
      #expect(last.changed == ["1"] && last.keysByEntity["1"] == ["list", "lost", "new"])
    }
  }

  @Test(arguments: Engine.allCases)
  func `both types of an entity that got another type`(engine: Engine) async throws {
    let told = try await told(engine) { store in
      try await store.write { tx in
        try await tx.erase("1")
        try await tx.create("C", id: "1")
      }
    }
    for changes in told.local + told.past + [told.merged].compactMap(\.self) {
      #expect(changes.changed == ["1"])
      #expect(changes.types == ["A", "C"])
    }
    #expect(told.merged != nil)
  }

  @Test(arguments: Engine.allCases)
  func `a live query of the former type runs again`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a")
    var answers = try await store.observe(Query("Hat")).makeAsyncIterator()
    #expect(try await answers.next()?.count == 1)
    try await store.write { tx in
      try await tx.erase("a")
      try await tx.create("Shop", id: "a")
    }
    #expect(try await answers.next()?.isEmpty == true)
  }

  @Test(arguments: Engine.allCases)
  func `names the former type of an entity if the merge compacts too`(engine: Engine) async throws {
    let clock = TestClock()
    let (here, there) = (
      try await makeStore(engine, clock: clock), try await makeStore(engine, clock: clock)
    )
    try await here.create("A", id: "1", ["x": 1])
    try await here.set("1", "x", 2)
    clock.advance(by: 10)
    try await there.create("B", id: "1")
    let changes = try await there.changes()
    try await here.compact(keeping: .milliseconds(1))
    try await there.merge(from: here)
    #expect(try await there.entity("1")?.type == "A")
    #expect(changes.poll()?.types == ["A", "B"])
  }

  @Test(arguments: Engine.allCases)
  func `lists what died with its owner if the merge compacts too`(engine: Engine) async throws {
    let clock = TestClock()
    let (here, there) = (
      try await makeStore(engine, clock: clock), try await makeStore(engine, clock: clock)
    )
    try await here.create("A", id: "1", ["x": 1])
    try await here.create("B", id: "2")
    try await here.own(("1", "2"))
    try await there.merge(from: here)
    let changes = try await there.changes()
    try await here.set("1", "x", 2)
    try await here.erase("1")
    clock.advance(by: 10)
    try await here.compact(keeping: .milliseconds(1))
    try await there.merge(from: here)
    let set = try #require(changes.poll())
    #expect(Set(set.erased) == ["1", "2"] && set.types == ["A", "B"])
  }
}
