import Synchronization
import VarveCore

/// A mutual exclusion for tasks, first in first out: waiting suspends and blocks no thread.
final class WriteLock: Sendable {
  private struct State {
    var isHeld = false
    var waiters: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    var nextID: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Takes the lock, or answers false once the patience is over.
  func lock(patienceMilliseconds: Int) async throws -> Bool {
    if tryLock() { return true }
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let timeout = Task {
      try await Task.sleep(for: .milliseconds(patienceMilliseconds))
      self.give(up: id)
    }
    defer { timeout.cancel() }
    let isHeld = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mayHave = state.withLock { state in
          guard state.isHeld else {
            state.isHeld = true
            return true
          }
          state.waiters.append((id, continuation))
          return false
        }
        if mayHave { continuation.resume(returning: true) }
      }
    } onCancel: {
      self.give(up: id)
    }
    if isHeld, Task.isCancelled {
      unlock()
      throw CancellationError()
    }
    try Task.checkCancellation()
    return isHeld
  }

  private func tryLock() -> Bool {
    state.withLock { state in
      guard !state.isHeld else { return false }
      state.isHeld = true
      return true
    }
  }

  private func give(up id: UInt64) {
    let waiter = state.withLock { state in
      state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
    }
    waiter?.continuation.resume(returning: false)
  }

  /// Hands the lock to whoever waited longest.
  func unlock() {
    let next = state.withLock { state in
      guard !state.waiters.isEmpty else {
        state.isHeld = false
        return nil as CheckedContinuation<Bool, Never>?
      }
      return state.waiters.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
