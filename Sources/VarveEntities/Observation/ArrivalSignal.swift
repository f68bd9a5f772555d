import Synchronization

/// Wakes those who wait for new commits of a store, whether they were written or merged. It knows
/// only of what this object did: other processes' commits must be polled for.
package final class ArrivalSignal: Sendable {
  private struct State {
    var last = 0
    var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
  }

  private let state = Mutex(State())

  init() {}

  /// Adds a continuation, which receives a value after each commit until the returned number is
  /// removed.
  package func add(_ continuation: AsyncStream<Void>.Continuation) -> Int {
    state.withLock { state in
      state.last += 1
      state.waiting[state.last] = continuation
      return state.last
    }
  }

  /// Removes a continuation.
  package func remove(_ number: Int) { state.withLock { $0.waiting[number] = nil } }

  /// Wakes everyone.
  func raise() {
    state.withLock { state in
      for continuation in state.waiting.values { continuation.yield() }
    }
  }
}
