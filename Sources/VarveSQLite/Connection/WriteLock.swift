import Synchronization
import VarveCore

/// A lock for tasks: one writer, first in first out, or any number of readers. Waiting suspends and
/// blocks no thread. Readers wait only for a writer that holds the lock, so that reads may nest.
final class WriteLock: Sendable {
  private struct State {
    var isHeld = false
    var readerCount = 0
    var waitingReaders: [CheckedContinuation<Void, Never>] = []
    var waiters: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    var nextID: UInt64 = 0

    /// Who has the lock now that somebody gave it back.
    mutating func next() -> (CheckedContinuation<Bool, Never>?, [CheckedContinuation<Void, Never>])
    {
      guard !isHeld else { return (nil, []) }
      if !waitingReaders.isEmpty {
        let readers = waitingReaders
        waitingReaders = []
        readerCount += readers.count
        return (nil, readers)
      }
      guard readerCount == 0, !waiters.isEmpty else { return (nil, []) }
      isHeld = true
      return (waiters.removeFirst().continuation, [])
    }
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
          guard state.isHeld || state.readerCount > 0 else {
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
      guard !state.isHeld, state.readerCount == 0 else { return false }
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

  /// Hands the lock to the readers that wait, or to the writer that waited longest.
  func unlock() {
    let (writer, readers) = state.withLock { state in
      state.isHeld = false
      return state.next()
    }
    writer?.resume(returning: true)
    for reader in readers { reader.resume() }
  }

  /// Takes the lock together with other readers.
  func lockShared() async {
    await withCheckedContinuation { continuation in
      let mayHave = state.withLock { state in
        guard state.isHeld else {
          state.readerCount += 1
          return true
        }
        state.waitingReaders.append(continuation)
        return false
      }
      if mayHave { continuation.resume() }
    }
  }

  /// Gives back what ``lockShared()`` took.
  func unlockShared() {
    let (writer, readers) = state.withLock { state in
      state.readerCount -= 1
      return state.next()
    }
    writer?.resume(returning: true)
    for reader in readers { reader.resume() }
  }
}
