import Foundation
import Synchronization
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Writes of another process", .serialized)
struct ForeignChangeTests {
  @Test func `writes of another process are reported once and in order, between local changes`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let store = try await Store.open(path)
    let changes = try await store.changes()
    let count = 40
    let other = try Torture("tick", path, "\(count)")
    var foreign: [EntityID] = []
    var own: [EntityID] = []
    for try await change in changes {
      switch change.origin {
      case .elsewhere:
        foreign += change.added
        if foreign.count % 4 == 0 { try await store.create("Own") }
      case .local: own += change.added
      default: Issue.record("\(change)")
      }
      if foreign.count >= count, own.count >= count / 4 { break }
    }
    try await other.end()
    let ticks = try await store.ids(of: Query("Tick"))
    #expect(foreign == ticks)
    #expect(own == (try await store.ids(of: Query("Own"))))
    try await store.close()
  }

  @Test func `are reported by the next poll, which comes after at most 100 ms`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let pauses = PollPauses()
    var configuration = Store.Configuration()
    configuration.pollPause = { await pauses.pause($0) }
    let store = try await Store.open(path, configuration: configuration)
    let changes = try await store.changes()
    for number in 1...3 {
      #expect(await pauses.begun(number) <= .milliseconds(100))
      let other = try Torture("tick", path, "1")
      try await other.end()
      #expect(changes.poll() == nil)
      pauses.end(number)
      // The next pause begins after the poll.
      _ = await pauses.begun(number + 1)
      #expect(changes.poll()?.origin == .elsewhere)
      #expect(changes.poll() == nil)
    }
    pauses.endAll()
    try await store.close()
  }

  @Test func `runs a live query that is waiting`() async throws {
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

  @Test(arguments: ["10", "300"]
  )
  func `wakes a process with live results once a second at most while nothing happens`(
    count: String
  ) async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let store = try await Store.open(path)
    try await store.create("Hat", ["size": 1])
    let idle = try Torture("idle", path, "5", count)
    try await idle.said(1)
    let waitCount = idle.lines.first.flatMap { Int($0.dropFirst("idle ".count)) }
    // One look each second passes through some five threads; looks each 40 ms would be hundreds.
    #expect(try #require(waitCount) <= 50)
    try await store.create("Hat", ["size": 2])
    try await idle.said(2)
    #expect(idle.lines.last == "hats 2")
    try await idle.kill()
    try await store.close()
  }

  @MainActor
  @Test func `writes of another process brings live objects up to date by itself`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let store = try await Store.open(path)
    let objects = try await Objects(store)
    objects.register(Counter.self)
    let counter = Counter(id: "counter")
    try await objects.save(counter)
    let other = try Torture("touch", path, "counter", "10")
    let deadline = ContinuousClock.now + .seconds(120)
    while counter.number < 10, .now < deadline { try await Task.sleep(for: .milliseconds(5)) }
    #expect(counter.number == 10)
    try await other.end()
    try await store.close()
  }
}

/// The pauses of a poller, which a test ends one by one.
private final class PollPauses: Sendable {
  private struct State {
    var durations: [Duration] = []
    var endedCount = 0
    var poller: CheckedContinuation<Void, Never>?
    var test: (number: Int, continuation: CheckedContinuation<Duration, Never>)?

    /// Removes and returns the test's continuation if the pause that it waits for has begun.
    mutating func takeTest() -> (CheckedContinuation<Duration, Never>, Duration)? {
      guard let test, test.number <= durations.count else { return nil }
      self.test = nil
      return (test.continuation, durations[test.number - 1])
    }

    /// Removes and returns the poller's continuation if its pause was ended.
    mutating func takePoller() -> CheckedContinuation<Void, Never>? {
      guard durations.count <= endedCount else { return nil }
      defer { poller = nil }
      return poller
    }
  }

  private let state = Mutex(State())

  /// Waits until a test ends this pause.
  func pause(_ duration: Duration) async {
    await withCheckedContinuation { continuation in
      let (test, poller) = state.withLock { state in
        state.durations.append(duration)
        state.poller = continuation
        return (state.takeTest(), state.takePoller())
      }
      if let (continuation, duration) = test { continuation.resume(returning: duration) }
      poller?.resume()
    }
  }

  /// Waits until a pause has begun, counted from one. Returns its duration.
  func begun(_ number: Int) async -> Duration {
    await withCheckedContinuation { continuation in
      let test = state.withLock { state in
        state.test = (number, continuation)
        return state.takeTest()
      }
      if let (continuation, duration) = test { continuation.resume(returning: duration) }
    }
  }

  /// Ends all pauses up to a number.
  func end(_ number: Int) {
    let poller = state.withLock { state in
      state.endedCount = number
      return state.takePoller()
    }
    poller?.resume()
  }

  func endAll() { end(.max) }
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
