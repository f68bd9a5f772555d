import Dispatch
import Synchronization

/// Asynchronous work for a caller that waits on its own thread, because it cannot be asynchronous.
package enum BlockingCall {
  /// Returns the result of some work, or nil if it takes longer than a time; it is cancelled then.
  ///
  /// The work runs on a thread of its own, because the caller may block one of those that tasks share.
  /// Work that needs the actor of the caller does not end before the time is over.
  ///
  /// - Parameter time: how long to wait; nil for ever.
  package static func result<Result: Sendable>(
    within time: Duration?,
    of work: @escaping @Sendable () async -> Result
  ) -> Result? {
    let handover = Handover<Result>()
    let task = Task.detached(executorPreference: OwnThread()) { handover.put(await work()) }
    if let result = handover.take(within: time) { return result }
    task.cancel()
    return nil
  }
}

/// Hands a result from the task that makes it to the thread that waits.
private final class Handover<Result: Sendable>: Sendable {
  private let isThere = DispatchSemaphore(value: 0)
  private let result = Mutex<Result?>(nil)

  func put(_ made: Result) {
    result.withLock { $0 = made }
    isThere.signal()
  }

  func take(within time: Duration?) -> Result? {
    guard let time else {
      isThere.wait()
      return result.withLock { $0 }
    }
    let (seconds, attoseconds) = time.components
    let nanoseconds = DispatchTimeInterval.nanoseconds(Int(attoseconds / 1_000_000_000))
    let end = DispatchTime.now() + .seconds(Int(clamping: seconds)) + nanoseconds
    return isThere.wait(timeout: end) == .success ? result.withLock { $0 } : nil
  }
}

/// Runs the jobs of one call in a queue of its own.
private final class OwnThread: TaskExecutor {
  private let queue = DispatchQueue(label: "varve.call")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
