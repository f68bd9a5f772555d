import Synchronization
import VarveCore

/// A lock for tasks: one writer, first in first out, or any number of readers. Waiting suspends and
/// blocks no thread. Readers wait only for a writer that holds the lock, so that reads may nest.
final class WriteLock: Sendable {
  /// Somebody who waits; told true when it has the lock, false when it has given up.
  private struct Waiter {
    let id: UInt64
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var isHeld = false
    var readerCount = 0
    var waitingReaders: [Waiter] = []
    var waitingWriters: [Waiter] = []
    var nextID: UInt64 = 0

    /// Takes the lock if it is free for that use.
    mutating func take(shared: Bool) -> Bool {
      guard !isHeld, shared || readerCount == 0 else { return false }
      if shared { readerCount += 1 } else { isHeld = true }
      return true
    }

    /// Who has the lock now that somebody gave it back.
    mutating func next() -> [Waiter] {
      guard !isHeld else { return [] }
      if !waitingReaders.isEmpty {
        defer { waitingReaders = [] }
        readerCount += waitingReaders.count
        return waitingReaders
      }
      guard readerCount == 0, !waitingWriters.isEmpty else { return [] }
      isHeld = true
      return [waitingWriters.removeFirst()]
    }

    mutating func remove(_ id: UInt64) -> Waiter? {
      if let index = waitingWriters.firstIndex(where: { $0.id == id }) {
        return waitingWriters.remove(at: index)
      }
      guard let index = waitingReaders.firstIndex(where: { $0.id == id }) else { return nil }
      return waitingReaders.remove(at: index)
    }
  }

  private let state = Mutex(State())

  /// Takes the lock for writing, or answers false once the patience is over.
  func lock(patienceMilliseconds: Int) async throws -> Bool {
    if state.withLock({ $0.take(shared: false) }) { return true }
    return try await wait(shared: false, patienceMilliseconds: patienceMilliseconds)
  }

  /// Takes the lock together with other readers, or answers false once the patience is over.
  func lockShared(patienceMilliseconds: Int) async throws -> Bool {
    if state.withLock({ $0.take(shared: true) }) { return true }
    return try await wait(shared: true, patienceMilliseconds: patienceMilliseconds)
  }

  /// Gives back what ``lock(patienceMilliseconds:)`` took.
  func unlock() {
    wake(
      state.withLock { state in
        state.isHeld = false
        return state.next()
      })
  }

  /// Gives back what ``lockShared(patienceMilliseconds:)`` took.
  func unlockShared() {
    wake(
      state.withLock { state in
        state.readerCount -= 1
        return state.next()
      })
  }

  private func wake(_ waiters: [Waiter]) {
    for waiter in waiters { waiter.continuation.resume(returning: true) }
  }

  private func wait(shared: Bool, patienceMilliseconds: Int) async throws -> Bool {
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
      await enqueue(id, shared: shared)
    } onCancel: {
      self.giveUp(id)
    }
    if isHeld, Task.isCancelled {
      if shared { unlockShared() } else { unlock() }
    }
    try Task.checkCancellation()
    return isHeld
  }

  private func enqueue(_ id: UInt64, shared: Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        if state.take(shared: shared) { return true }
        let waiter = Waiter(id: id, continuation: continuation)
        if shared { state.waitingReaders.append(waiter) } else { state.waitingWriters.append(waiter) }
        return false
      }
      if isHeld { continuation.resume(returning: true) }
      // A cancellation before there was anybody to wake comes to nothing: look again.
      if !isHeld, Task.isCancelled { giveUp(id) }
    }
  }

  private func giveUp(_ id: UInt64) {
    state.withLock { $0.remove(id) }?.continuation.resume(returning: false)
  }
}
