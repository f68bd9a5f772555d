import Synchronization

/// Change sets on their way to one subscriber.
final class ChangeChannel: Sendable {
  /// How many wait before the newest are joined into one.
  static let capacity = 1_024

  private struct State {
    var waiting: [ChangeSet] = []
    var next = 0
    var consumer: CheckedContinuation<ChangeSet?, any Error>?
    /// Who waits for something to take, and does not take it.
    var watcher: CheckedContinuation<Bool, Never>?
    /// Whether there was something to see while no watcher waited, though others may have taken it.
    var isWoken = false
    var end: Result<ChangeSet?, any Error>?

    /// The change set that waits longest.
    mutating func pop() -> ChangeSet? {
      guard next < waiting.count else { return nil }
      defer {
        next += 1
        if next == waiting.count {
          waiting.removeAll(keepingCapacity: true)
          next = 0
        }
      }
      return waiting[next]
    }

    mutating func append(_ changes: ChangeSet) {
      if waiting.count - next >= ChangeChannel.capacity {
        waiting[waiting.count - 1] = waiting[waiting.count - 1].joined(with: changes)
      } else {
        waiting.append(changes)
      }
    }
  }

  private let state = Mutex(State())

  /// Hands over a change set.
  func push(_ changes: ChangeSet) {
    let (consumer, watcher) = state.withLock { state in
      guard state.end == nil else { return (state.consumer, state.watcher) }
      defer { (state.consumer, state.watcher) = (nil, nil) }
      if state.consumer == nil { state.append(changes) }
      if state.watcher == nil { state.isWoken = true }
      return (state.consumer, state.watcher)
    }
    consumer?.resume(returning: changes)
    watcher?.resume(returning: true)
  }

  /// Waits until there is something to see, and leaves it there: change sets that came since the last
  /// call, though others took them meanwhile, or a ``wake()``. False after the end, or if cancelled.
  /// For one watcher.
  func waitForChange() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          if Task.isCancelled || state.watcher != nil { return false }
          if state.isWoken || state.next < state.waiting.count {
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

  /// Lets the watcher look, though nothing may wait: now, or when it waits again.
  func wake() {
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

  /// Puts change sets before all others. Nobody waits yet.
  func begin(with earlier: [ChangeSet]) {
    state.withLock { state in
      let later = state.waiting
      state.waiting = []
      for changes in earlier + later { state.append(changes) }
    }
  }

  /// A change set that waits, if there is one.
  func poll() -> ChangeSet? { state.withLock { $0.pop() } }

  /// The next change set; nil after the end.
  func next() async throws -> ChangeSet? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let answer: Result<ChangeSet?, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if let changes = state.pop() { return .success(changes) }
          if let end = state.end { return end }
          // One subscriber, one iteration: a second would never be told.
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

  /// Ends it; what waits is still handed over.
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
