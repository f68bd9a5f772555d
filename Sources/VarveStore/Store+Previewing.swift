import Dispatch
import Synchronization
public import VarveEntities

extension Store {
  /// Creates a store in memory with sample data, at once: for previews of views, and for tests that
  /// are not asynchronous.
  ///
  /// ```swift
  /// let store = Store.preview { try await $0.create("Hat", ["color": "red"]) }
  /// ```
  ///
  /// The call waits until the closure has returned. A closure that needs the main actor would wait
  /// forever for a caller on the main actor. An error traps, because it is a mistake in the sample
  /// data.
  ///
  /// - Parameters:
  ///   - configuration: the options of the store.
  ///   - fill: writes the sample data.
  public static func preview(
    configuration: Configuration = Configuration(),
    _ fill: @escaping @Sendable (Store) async throws -> Void = { _ in }
  ) -> Store {
    let made = PreviewResult()
    // A thread of its own: the caller may block one of the threads that tasks share.
    Task.detached(executorPreference: PreviewExecutor()) {
      do {
        let store = try await Store.open(.inMemory, configuration: configuration)
        try await fill(store)
        made.put(.success(store))
      } catch {
        made.put(.failure(error))
      }
    }
    switch made.wait() {
    case .success(let store): return store
    case .failure(let error): preconditionFailure("the sample data cannot be stored: \(error)")
    }
  }
}

/// Hands a store from the task that makes it to the thread that waits.
private final class PreviewResult: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let result = Mutex<Result<Store, any Error>?>(nil)

  func put(_ made: Result<Store, any Error>) {
    result.withLock { $0 = made }
    semaphore.signal()
  }

  func wait() -> Result<Store, any Error> {
    while true {
      semaphore.wait()
      if let made = result.withLock({ $0 }) { return made }
    }
  }
}

/// Runs the jobs of one preview in a queue of its own.
private final class PreviewExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "varve.preview")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
