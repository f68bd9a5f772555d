import Foundation
import Synchronization
import VarveCore

/// Waits for sockets on a thread of its own, so that no thread of Swift's pool blocks.
final class SocketPoller: Sendable {
  static let shared = SocketPoller()

  /// What a waiter waits for.
  enum Interest {
    case reading
    case writing
    case both
  }

  /// How a wait ended.
  enum Outcome {
    /// The socket can be used, or is broken.
    case ready
    /// The deadline passed.
    case late
    /// The task was cancelled.
    case cancelled
  }

  private struct State {
    var nextID: UInt64 = 0
    var waiters: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
    /// The waits that ended before they began.
    var withdrawn: [UInt64: Outcome] = [:]
  }

  private let state = Mutex(State())
  private let queue = SocketQueue()

  private init() {
    let thread = Thread { [unowned self] in
      while true {
        for id in queue.next() { end(id, .ready) }
      }
    }
    thread.name = "varve postgres"
    thread.start()
  }

  /// Waits until a socket can be used.
  ///
  /// - Parameter isCancellable: whether cancelling the task ends the wait.
  func wait(
    _ socket: Int32,
    for interest: Interest,
    until deadline: ContinuousClock.Instant?,
    isCancellable: Bool
  ) async -> Outcome {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let limit = deadline.map { deadline in
      Deadlines.shared.add(deadline) { self.withdraw(id, .late) }
    }
    func enter() async -> Outcome {
      await withCheckedContinuation { continuation in
        let outcome = state.withLock { state in
          if let outcome = state.withdrawn.removeValue(forKey: id) { return outcome as Outcome? }
          state.waiters[id] = continuation
          return nil
        }
        if let outcome {
          continuation.resume(returning: outcome)
        } else {
          // A socket that cannot be waited for is broken.
          if !queue.add(socket, interest, id) { end(id, .ready) }
        }
      }
    }
    let outcome =
      isCancellable
      ? await withTaskCancellationHandler(operation: enter) { withdraw(id, .cancelled) }
      : await enter()
    if let limit { Deadlines.shared.remove(limit) }
    queue.remove(socket, id)
    // The wait may have been withdrawn after it ended.
    state.withLock { _ = $0.withdrawn.removeValue(forKey: id) }
    return outcome
  }

  /// Ends a wait, or keeps it from beginning.
  private func withdraw(_ id: UInt64, _ outcome: Outcome) {
    let waiter = state.withLock { state in
      let waiter = state.waiters.removeValue(forKey: id)
      if waiter == nil { state.withdrawn[id] = outcome }
      return waiter
    }
    waiter?.resume(returning: outcome)
  }

  private func end(_ id: UInt64, _ outcome: Outcome) {
    state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: outcome)
  }
}
