import Synchronization
import Testing
import VarveCore

@Suite("Deadlines")
struct DeadlinesTests {
  @Test func `deadlines are all called, whatever the order in which they were added`() async {
    let deadlines = Deadlines()
    let calls = Mutex<[Int]>([])
    let now = ContinuousClock.now
    await withCheckedContinuation { done in
      for number in [4, 2, 5, 1, 3] {
        _ = deadlines.add(now + .milliseconds(30 * number)) {
          calls.withLock { $0.append(number) }
          if number == 5 { done.resume() }
        }
      }
    }
    #expect(calls.withLock { $0.sorted() } == [1, 2, 3, 4, 5])
    #expect(ContinuousClock.now >= now + .milliseconds(150))
  }

  @Test func `deadlines that are removed are not called, and keep no other from being called`()
    async
  {
    let deadlines = Deadlines()
    let calls = Mutex<[Int]>([])
    let far = ContinuousClock.now + .seconds(3_600)
    await withCheckedContinuation { done in
      let removed = (0..<100).map { number in
        deadlines.add(far - .seconds(number)) { calls.withLock { $0.append(number) } }
      }
      for id in removed { deadlines.remove(id) }
      _ = deadlines.add(.now + .milliseconds(10)) { done.resume() }
    }
    #expect(calls.withLock { $0 } == [])
  }

  @Test func `deadlines may be as far away as durations go, or over already`() async {
    let deadlines = Deadlines()
    let far = deadlines.add(.now + .milliseconds(Int.max)) {}
    await withCheckedContinuation { done in
      _ = deadlines.add(.now - .seconds(1)) { done.resume() }
    }
    deadlines.remove(far)
  }

  @Test func `deadlines that come one after another are all called`() async {
    let deadlines = Deadlines()
    for _ in 0..<20 {
      await withCheckedContinuation { done in
        _ = deadlines.add(.now + .milliseconds(1)) { done.resume() }
      }
    }
  }
}
