import Dispatch

/// A thread for one task. Swift's own pool has as many threads as there are cores, and a task that
/// never waits keeps the one it has: two readers in a loop would let no writer begin.
final class OwnThread: TaskExecutor {
  private let queue = DispatchQueue(label: "varve-bench")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
