import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("The queue of change sets")
struct ChangeQueueTests {
  /// Returns the change sets of random transactions.
  private func sets(_ count: Int, seed: UInt64) async throws -> [ChangeSet] {
    let store = try await makeStore(.memory)
    let changes = try await store.changes()
    var random = SplitMix64(seed: seed)
    var sets: [ChangeSet] = []
    while sets.count < count {
      let id = try EntityID("\(Int.random(in: 0..<40, using: &random))")
      if try await store.entity(id) == nil {
        try await store.create("t", id: id, ["x": 1])
      } else if Int.random(in: 0..<3, using: &random) == 0 {
        try await store.erase(id)
      } else {
        let key = PropertyKey("key \(Int.random(in: 0..<4, using: &random))")
        try await store.set(id, key, .int(Int64(sets.count)))
      }
      while let set = changes.poll() { sets.append(set) }
    }
    return sets
  }

  @Test(arguments: [0, 1, 500] as [Int])
  func `the queue of change sets joins the newest as if each were joined when it came`(
    popCount: Int
  ) async throws {
    let sets = try await sets(ChangeQueue.capacity + 1_000, seed: UInt64(popCount))
    var queue = ChangeQueue()
    var expected: [ChangeSet] = []
    for (index, set) in sets.enumerated() {
      queue.append(set)
      if expected.count < ChangeQueue.capacity {
        expected.append(set)
      } else {
        expected[expected.count - 1] = expected[expected.count - 1].joined(with: set)
      }
      guard index == ChangeQueue.capacity + 300 else { continue }
      for _ in 0..<popCount {
        let oldest = queue.pop()
        #expect(oldest == expected.removeFirst())
      }
    }
    for wanted in expected {
      let oldest = queue.pop()
      let popped = try #require(oldest)
      #expect(Set(popped.added) == Set(wanted.added))
      #expect(Set(popped.erased) == Set(wanted.erased))
      #expect(Set(popped.changed) == Set(wanted.changed))
      #expect(popped.keysByEntity == wanted.keysByEntity)
      #expect(popped.commit == wanted.commit)
      #expect(popped.commitCount == wanted.commitCount)
      #expect(popped.resumption == wanted.resumption)
    }
    #expect(queue.isEmpty)
  }

  @Test func `holds no set for long that was taken, even if it is never empty`() async throws {
    let sets = try await sets(10, seed: 1)
    var queue = ChangeQueue()
    queue.append(sets[0])
    for number in 0..<(4 * ChangeQueue.capacity) {
      queue.append(sets[number % 10])
      let oldest = queue.pop()
      #expect(oldest != nil)
      #expect(queue.heldCount <= ChangeQueue.capacity + 1)
    }
  }

  @Test func `holds as many sets as entities changed, however many are joined`() async throws {
    let sets = try await sets(3 * ChangeQueue.capacity, seed: 2)
    var queue = ChangeQueue()
    for set in sets {
      queue.append(set)
      // There are 40 entities, and each set that is not joined yet has one at least.
      #expect(queue.heldCount <= ChangeQueue.capacity + 40)
    }
  }
}
