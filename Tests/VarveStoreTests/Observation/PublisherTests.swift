#if canImport(Combine) || OpenCombine
#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import Synchronization
import Testing
import VarveCore
import VarveStore

@Suite("A publisher of changes")
struct PublisherTests {
  /// A subscriber with a limited or an unlimited demand.
  private final class Listener: Subscriber, Sendable {
    typealias Input = ChangeSet
    typealias Failure = any Error

    let received = Mutex<[EntityID]>([])
    let isComplete = Mutex(false)
    private let demand: Int?

    init(demand: Int?) { self.demand = demand }

    func receive(subscription: any Subscription) {
      subscription.request(demand.map { .max($0) } ?? .unlimited)
    }

    func receive(_ input: ChangeSet) -> Subscribers.Demand {
      received.withLock { $0 += input.added }
      return .none
    }

    func receive(completion: Subscribers.Completion<any Error>) {
      isComplete.withLock { $0 = true }
    }

    func waits(for count: Int) async throws {
      while received.withLock({ $0.count }) < count {
        try await Task.sleep(for: .milliseconds(2))
      }
    }
  }

  @Test func `publishes commits since its creation, and ends with the store`() async throws {
    let store = try await makeStore(.file)
    let publisher = try await store.changes().publisher
    try await store.create("t", id: "a")
    let listener = Listener(demand: nil)
    publisher.subscribe(listener)
    try await store.create("t", id: "b")
    try await listener.waits(for: 2)
    #expect(listener.received.withLock { $0 } == ["a", "b"])
    try await store.close()
    while !listener.isComplete.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test func `a publisher of changes delivers no more than is demanded`() async throws {
    let store = try await makeStore(.memory)
    let changes = try await store.changes()
    let listener = Listener(demand: 2)
    changes.publisher.subscribe(listener)
    for id in ["a", "b", "c"] { try await store.create("t", id: try EntityID(id)) }
    try await listener.waits(for: 2)
    try await Task.sleep(for: .milliseconds(50))
    #expect(listener.received.withLock { $0 } == ["a", "b"])
    #expect(changes.poll()?.added == ["c"])
  }
}
#endif
