import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Writes of another process", .serialized)
struct ForeignChangeTests {
  @Test("is reported within 100 ms, once and in order, between local changes")
  func delay() async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let store = try await Store.open(path)
    let changes = try await store.changes()
    let count = 40
    let other = try Torture("tick", path, "\(count)")
    var foreign: [EntityID] = []
    var own: [EntityID] = []
    var delays: [Int64] = []
    for try await change in changes {
      let now = SystemClock.millisecondsSince1970()
      switch change.origin {
      case .elsewhere:
        foreign += change.added
        delays.append(now - change.commit.time.millisecondsSince1970)
        if foreign.count % 4 == 0 { try await store.create("Own") }
      case .local: own += change.added
      default: Issue.record("\(change)")
      }
      if foreign.count >= count, own.count >= count / 4 { break }
    }
    try await other.end()
    let ticks = try await store.handles(of: "Tick").map(\.id)
    #expect(foreign == ticks)
    #expect(own == (try await store.handles(of: "Own").map(\.id)))
    let median = delays.sorted()[delays.count / 2]
    #expect(median < 100, "\(delays)")
    try await store.close()
  }

  @Test("runs a live query that is waiting")
  func liveQuery() async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let store = try await Store.open(path)
    var counts = try await store.observe(["Tick"]) { try await $0.count(Query("Tick")) }
      .makeAsyncIterator()
    #expect(try await counts.next() == 0)
    let other = try Torture("tick", path, "3")
    var last = 0
    while last < 3 { last = try #require(try await counts.next()) }
    try await other.end()
    try await store.close()
  }

  @MainActor
  @Test("brings live objects up to date by itself")
  func liveObjects() async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let store = try await Store.open(path)
    let objects = try await Objects(store)
    objects.register(Counter.self)
    let counter = Counter(id: "counter")
    try await objects.save(counter)
    let other = try Torture("touch", path, "counter", "10")
    let deadline = ContinuousClock.now + .seconds(30)
    while counter.number < 10, .now < deadline { try await Task.sleep(for: .milliseconds(5)) }
    #expect(counter.number == 10)
    try await other.end()
    try await store.close()
  }
}

private final class Counter: StoredObject {
  static let kind: EntityType = "Counter"
  let id: EntityID
  private(set) var number = 0

  init(id: EntityID) { self.id = id }
  init(row: ObjectRow) throws {
    id = row.id
    number = try row.read("number")
  }
  func read(_ row: ObjectRow) throws { number = try row.read("number") }
  func write(to values: inout ObjectValues) throws { try values.set("number", number) }
}
