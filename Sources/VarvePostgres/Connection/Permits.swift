import Synchronization
import VarveCore

/// A number of permits, which waiting tasks get first in, first out. Waiting blocks no thread.
final class Permits: Sendable {
  private struct Waiter {
    let id: UInt64
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var free: Int
    var waiters: [Waiter] = []
    /// The tasks that gave up before they began to wait.
    var withdrawn: Set<UInt64> = []
    var nextID: UInt64 = 0
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: count)) }

  /// Takes a permit.
  ///
  /// - Returns: false once the deadline has passed.
  /// - Throws: `CancellationError` if the task is cancelled. No permit is taken then.
  func take(until deadline: ContinuousClock.Instant) async throws -> Bool {
    try Task.checkCancellation()
    let id: UInt64? = state.withLock { state in
      if state.free > 0 {
        state.free -= 1
        return nil
      }
      state.nextID += 1
      return state.nextID
    }
    guard let id else { return true }
    let patience = Deadlines.shared.add(deadline) { [weak self] in self?.giveUp(id) }
    defer { Deadlines.shared.remove(patience) }
    let isTaken = await withTaskCancellationHandler {
      await withCheckedContinuation { enter(Waiter(id: id, continuation: $0)) }
    } onCancel: {
      giveUp(id)
    }
    state.withLock { _ = $0.withdrawn.remove(id) }
    if isTaken, Task.isCancelled { giveBack() }
    try Task.checkCancellation()
    return isTaken
  }

  /// Gives a permit to the task that waited for the longest time.
  func giveBack() {
    let next: Waiter? = state.withLock { state in
      guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
      state.free += 1
      return nil
    }
    next?.continuation.resume(returning: true)
  }

  private func enter(_ waiter: Waiter) {
    let answer: Bool? = state.withLock { state in
      if state.withdrawn.contains(waiter.id) { return false }
      if state.free > 0 {
        state.free -= 1
        return true
      }
      state.waiters.append(waiter)
      return nil
    }
    if let answer { waiter.continuation.resume(returning: answer) }
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
