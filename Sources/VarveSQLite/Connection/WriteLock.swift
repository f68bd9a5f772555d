import Synchronization
import VarveCore

/// A lock for tasks that write, first in first out. Waiting suspends and blocks no thread. It ends
/// after the caller's patience, or when the task is cancelled.
final class WriteLock: Sendable {
  /// A waiting task, resumed with true when it has the lock, and with false when it has given up.
  private struct Waiter {
    let id: UInt64
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var isHeld = false
    var waiters: [Waiter] = []
    /// The tasks that gave up before they began to wait.
    var withdrawn: Set<UInt64> = []
    var nextID: UInt64 = 0

    mutating func take() -> Bool {
      guard !isHeld else { return false }
      isHeld = true
      return true
    }
  }

  private let state = Mutex(State())

  /// Acquires the lock. Returns false once the patience is over.
  func lock(patienceMilliseconds: Int) async throws -> Bool {
    if state.withLock({ $0.take() }) { return true }
    return try await wait(patienceMilliseconds)
  }

  /// Acquires the lock if it is free. Returns false otherwise.
  func lockIfFree() -> Bool { state.withLock { $0.take() } }

  /// Passes the lock to the task that waited longest, or frees it.
  func unlock() {
    let next: Waiter? = state.withLock { state in
      guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
      state.isHeld = false
      return nil
    }
    next?.continuation.resume(returning: true)
  }

  private func wait(_ patienceMilliseconds: Int) async throws -> Bool {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let timeout = Task {
      try await Task.sleep(for: .milliseconds(patienceMilliseconds))
      self.giveUp(id)
    }
    defer { timeout.cancel() }
    let isHeld = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          guard !state.withdrawn.contains(id) else { return false }
          if state.take() { return true }
          state.waiters.append(Waiter(id: id, continuation: continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      self.giveUp(id)
    }
    state.withLock { _ = $0.withdrawn.remove(id) }
    if isHeld, Task.isCancelled { unlock() }
    try Task.checkCancellation()
    return isHeld
  }

  private func giveUp(_ id: UInt64) {
    let waiter: Waiter? = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
        state.withdrawn.insert(id)
        return nil
      }
      return state.waiters.remove(at: index)
    }
    waiter?.continuation.resume(returning: false)
  }
}

extension VarveError {
  /// The error of a caller whose patience ended before another writer had finished.
  static func tooLong(_ milliseconds: Int, at place: String) -> VarveError {
    VarveError(
      .busy,
      "the store was locked by another writer for more than \(milliseconds) ms",
      at: place,
      remedy: "Try again when the other writer has finished."
    )
  }
}
