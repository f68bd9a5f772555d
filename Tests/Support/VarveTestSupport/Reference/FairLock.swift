import Synchronization
import VarveCore

/// A lock for asynchronous code that lets waiters in first come, first served.
package final class FairLock: Sendable {
  private struct Waiter {
    let number: Int
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var isHeld = false
    var nextNumber = 0
    var waiters: [Waiter] = []
    /// Waiters that gave up before they began to wait.
    var withdrawn: Set<Int> = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Waits for the lock and takes it.
  ///
  /// - Throws: ``VarveError`` with code `busy` after the time allowed, `CancellationError` if the
  ///   task is cancelled. The lock is not held then.
  package func acquire(patienceMilliseconds: Int) async throws {
    try Task.checkCancellation()
    let number = state.withLock { state in
      defer { state.nextNumber += 1 }
      return state.nextNumber
    }
    let patience = Task {
      try? await Task.sleep(for: .milliseconds(patienceMilliseconds))
      if !Task.isCancelled { withdraw(number) }
    }
    defer { patience.cancel() }
    let isTaken = await withTaskCancellationHandler {
      await withCheckedContinuation { enter(Waiter(number: number, continuation: $0)) }
    } onCancel: {
      withdraw(number)
    }
    state.withLock { _ = $0.withdrawn.remove(number) }
    guard !isTaken else { return }
    try Task.checkCancellation()
    throw VarveError(
      .busy,
      "another writer held the store for \(patienceMilliseconds) ms",
      remedy: "Try again, or allow more time."
    )
  }

  /// Gives the lock to the next waiter, or frees it.
  package func release() {
    let next: Waiter? = state.withLock { state in
      precondition(state.isHeld, "only a lock that is held is released")
      if state.waiters.isEmpty {
        state.isHeld = false
        return nil
      }
      return state.waiters.removeFirst()
    }
    next?.continuation.resume(returning: true)
  }

  private func enter(_ waiter: Waiter) {
    let answer: Bool? = state.withLock { state in
      if state.withdrawn.contains(waiter.number) { return false }
      if !state.isHeld {
        state.isHeld = true
        return true
      }
      state.waiters.append(waiter)
      return nil
    }
    if let answer { waiter.continuation.resume(returning: answer) }
  }

  private func withdraw(_ number: Int) {
    let waiter: Waiter? = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
        state.withdrawn.insert(number)
        return nil
      }
      return state.waiters.remove(at: index)
    }
    waiter?.continuation.resume(returning: false)
  }
}
