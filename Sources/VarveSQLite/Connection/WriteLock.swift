import Synchronization
import VarveCore

/// A lock for tasks: one writer, first in first out, or any number of readers. Waiting suspends and
/// blocks no thread.
///
/// The two take turns: readers that come while a writer waits wait too, so that readers without end
/// do not keep writers out for ever, and go in together when he is done. A read inside a read would
/// wait for itself so: one that says it is nested goes in at once, and any other, which may be what
/// a reader inside waits for without anybody knowing, waits for a writer who is not in yet for a
/// moment only.
final class WriteLock: Sendable {
  private struct State {
    var isHeld = false
    var readerCount = 0
    var waitingReaders: [(id: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
    var waiters: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    /// Those who gave up before they began to wait.
    var withdrawn: Set<UInt64> = []
    var nextID: UInt64 = 0

    mutating func takeID() -> UInt64 {
      nextID += 1
      return nextID
    }

    /// Lets in all readers that wait; answers whom to tell.
    mutating func letReadersIn() -> [CheckedContinuation<Void, Never>] {
      defer { waitingReaders = [] }
      readerCount += waitingReaders.count
      return waitingReaders.map(\.continuation)
    }

    /// Lets in the writer that waited longest, if nobody is in; answers whom to tell.
    mutating func letWriterIn() -> CheckedContinuation<Bool, Never>? {
      guard !isHeld, readerCount == 0, !waiters.isEmpty else { return nil }
      isHeld = true
      return waiters.removeFirst().continuation
    }
  }

  private let state = Mutex(State())

  /// How long a reader waits for writers that wait themselves.
  private static let readerPatience = Duration.milliseconds(100)

  /// Takes the lock, or answers false once the patience is over.
  func lock(patienceMilliseconds: Int) async throws -> Bool {
    if tryLock() { return true }
    let id = state.withLock { $0.takeID() }
    let timeout = Task {
      try await Task.sleep(for: .milliseconds(patienceMilliseconds))
      self.give(up: id)
    }
    defer { timeout.cancel() }
    let isHeld = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          guard !state.withdrawn.contains(id) else { return false }
          guard state.isHeld || state.readerCount > 0 else {
            state.isHeld = true
            return true
          }
          state.waiters.append((id, continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      self.give(up: id)
    }
    state.withLock { _ = $0.withdrawn.remove(id) }
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
    let (waiter, readers) = state.withLock { state in
      let waiter = state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      if waiter == nil { state.withdrawn.insert(id) }
      // Readers that waited for him only need not any more.
      let isFree = !state.isHeld && state.waiters.isEmpty
      return (waiter, isFree ? state.letReadersIn() : [])
    }
    waiter?.continuation.resume(returning: false)
    for reader in readers { reader.resume() }
  }

  /// Hands the lock to the readers that wait, or to the writer that waited longest.
  func unlock() {
    let (writer, readers) = state.withLock { state in
      state.isHeld = false
      let readers = state.letReadersIn()
      return (state.letWriterIn(), readers)
    }
    writer?.resume(returning: true)
    for reader in readers { reader.resume() }
  }

  /// Takes the lock together with other readers.
  ///
  /// - Parameter isNested: whether the caller is inside what another holder of the lock does.
  func lockShared(isNested: Bool) async {
    let id: UInt64? = state.withLock { state in
      guard state.isHeld || !(isNested || state.waiters.isEmpty) else {
        state.readerCount += 1
        return nil
      }
      return state.takeID()
    }
    guard let id else { return }
    let timeout = Task {
      while true {
        try await Task.sleep(for: Self.readerPatience)
        self.letReaderIn(id)
      }
    }
    defer { timeout.cancel() }
    await withCheckedContinuation { continuation in
      let mayHave = state.withLock { state in
        guard state.isHeld || !state.waiters.isEmpty else {
          state.readerCount += 1
          return true
        }
        state.waitingReaders.append((id, continuation))
        return false
      }
      if mayHave { continuation.resume() }
    }
  }

  /// Lets in a reader that waited long enough for writers that are not in.
  private func letReaderIn(_ id: UInt64) {
    let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.isHeld, let index = state.waitingReaders.firstIndex(where: { $0.id == id })
      else { return nil }
      state.readerCount += 1
      return state.waitingReaders.remove(at: index).continuation
    }
    reader?.resume()
  }

  /// Gives back what ``lockShared(isNested:)`` took.
  func unlockShared() {
    let writer = state.withLock { state in
      state.readerCount -= 1
      return state.letWriterIn()
    }
    writer?.resume(returning: true)
  }
}
