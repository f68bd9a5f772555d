#if Server
import Foundation
import Synchronization

/// Threads of its own for the work of requests.
///
/// SQL runs on the thread of its task until it ends. On Swift's threads, of which there are as many
/// as processors, a few slow queries would keep every other task of the process waiting.
final class RequestExecutor: TaskExecutor {
  /// The executor of all servers in this process.
  static let shared = RequestExecutor(threadCount: 64)

  private struct State {
    /// The jobs that wait, in order.
    var jobs: [UnownedJob] = []
    /// The place of the first job that waits.
    var first = 0
    var idleCount = 0
    var threadCount = 0

    mutating func next() -> UnownedJob? {
      guard first < jobs.count else { return nil }
      defer {
        first += 1
        if first == jobs.count { (jobs, first) = ([], 0) }
      }
      return jobs[first]
    }
  }

  private let threadCount: Int
  private let condition = NSCondition()
  /// Read and written only while `condition` is locked. A `Mutex` cannot be waited on.
  private nonisolated(unsafe) var state = State()

  private static let stackByteCount = 8 << 20

  init(threadCount: Int) { self.threadCount = threadCount }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.lock()
    defer { condition.unlock() }
    state.jobs.append(job)
    let waitingCount = state.jobs.count - state.first
    guard waitingCount > state.idleCount, state.threadCount < threadCount else {
      return condition.signal()
    }
    state.threadCount += 1
    let thread = Thread { self.work() }
    thread.name = "varve.requests"
    thread.stackSize = Self.stackByteCount
    thread.start()
  }

  private func work() {
    while true {
      condition.lock()
      while state.first == state.jobs.count {
        state.idleCount += 1
        condition.wait()
        state.idleCount -= 1
      }
      let job = state.next()
      condition.unlock()
      job?.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
#endif
