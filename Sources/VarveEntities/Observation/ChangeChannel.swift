import Synchronization

/// A queue of change sets for one subscriber.
package final class ChangeChannel: Sendable {
  private struct State {
    var waiting = ChangeQueue()
    var consumer: CheckedContinuation<ChangeSet?, any Error>?
    /// A caller that waits for change sets without taking them.
    var watcher: CheckedContinuation<Bool, Never>?
    /// Whether there was a change or a wake-up while no watcher waited, even if it has been taken
    /// since.
    var isWoken = false
    var end: Result<ChangeSet?, any Error>?
  }

  private let state = Mutex(State())

  /// Adds a change set.
  func push(_ changes: ChangeSet) {
    let (consumer, watcher) = state.withLock { state in
      guard state.end == nil else { return (state.consumer, state.watcher) }
      defer { (state.consumer, state.watcher) = (nil, nil) }
      if state.consumer == nil { state.waiting.append(changes) }
      if state.watcher == nil { state.isWoken = true }
      return (state.consumer, state.watcher)
    }
    consumer?.resume(returning: changes)
    watcher?.resume(returning: true)
  }

  /// Waits for change sets without taking them, or for a ``wake()``. Change sets added since the
  /// last call count even if they have been taken. Returns false after the end, or if cancelled.
  /// Supports one watcher.
  package func waitForChange() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          if Task.isCancelled || state.watcher != nil { return false }
          if state.isWoken || !state.waiting.isEmpty {
            state.isWoken = false
            return true
          }
          if state.end != nil { return false }
          state.watcher = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      takeWatcher()?.resume(returning: false)
    }
  }

  /// Wakes the watcher, now or when it waits again, even if there are no change sets.
  package func wake() {
    let watcher = state.withLock { state in
      if state.watcher == nil { state.isWoken = true }
      defer { state.watcher = nil }
      return state.watcher
    }
    watcher?.resume(returning: true)
  }

  private func takeWatcher() -> CheckedContinuation<Bool, Never>? {
    state.withLock { state in
      defer { state.watcher = nil }
      return state.watcher
    }
  }

  /// Inserts change sets before all others. There is no consumer yet.
  func begin(with earlier: ChangeQueue) {
    state.withLock { state in
      var waiting = earlier
      while let changes = state.waiting.pop() { waiting.append(changes) }
      state.waiting = waiting
    }
  }

  /// Returns a waiting change set, or nil if there is none.
  func poll() -> ChangeSet? { state.withLock { $0.waiting.pop() } }

  /// Returns the next change set; nil after the end.
  package func next() async throws -> ChangeSet? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let answer: Result<ChangeSet?, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if let changes = state.waiting.pop() { return .success(changes) }
          if let end = state.end { return end }
          // A second concurrent iteration would never receive anything, so it ends at once.
          if state.consumer != nil { return .success(nil) }
          state.consumer = continuation
          return nil
        }
        if let answer { continuation.resume(with: answer) }
      }
    } onCancel: {
      let consumer = state.withLock { state in
        defer { state.consumer = nil }
        return state.consumer
      }
      consumer?.resume(throwing: CancellationError())
    }
  }

  /// Ends the channel; waiting change sets can still be taken.
  func finish(_ error: (any Error)? = nil) {
    let consumer = state.withLock { state -> CheckedContinuation<ChangeSet?, any Error>? in
      guard state.end == nil else { return nil }
      state.end = error.map { .failure($0) } ?? .success(nil)
      defer { state.consumer = nil }
      return state.consumer
    }
    takeWatcher()?.resume(returning: false)
    if let error { consumer?.resume(throwing: error) } else { consumer?.resume(returning: nil) }
  }
}
