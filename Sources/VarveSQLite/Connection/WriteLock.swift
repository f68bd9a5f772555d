import Synchronization
import VarveCore

/// A lock for tasks: one writer, first in first out, or any number of readers. Waiting suspends and
/// blocks no thread. It ends after the caller's patience, or when the task is cancelled.
///
/// Readers that arrive while a writer waits also wait, so that a stream of readers cannot starve
/// writers; all of them are admitted when the writer is done. A nested read would thereby wait for
/// itself, so a read declared as nested is admitted at once, and any other waits only briefly for a
/// writer that does not hold the lock yet.
final class WriteLock: Sendable {
  /// A waiting task, resumed with true when it has the lock, and with false when it has given up.
  private struct Waiter {
    let id: UInt64
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var isHeld = false
    var readerCount = 0
    var readers: [Waiter] = []
    var writers: [Waiter] = []
    /// The tasks that gave up before they began to wait.
    var withdrawn: Set<UInt64> = []
    var nextID: UInt64 = 0

    mutating func takeForWriting() -> Bool {
      guard !isHeld, readerCount == 0 else { return false }
      isHeld = true
      return true
    }

    mutating func takeForReading(isNested: Bool) -> Bool {
      guard !isHeld, isNested || writers.isEmpty else { return false }
      readerCount += 1
      return true
    }

    /// Admits all waiting readers.
    mutating func admitReaders() -> [Waiter] {
      guard !isHeld else { return [] }
      defer { readers = [] }
      readerCount += readers.count
      return readers
    }

    /// Admits the writer that waited longest, if the lock is free.
    mutating func admitWriter() -> [Waiter] {
      guard !isHeld, readerCount == 0, !writers.isEmpty else { return [] }
      isHeld = true
      return [writers.removeFirst()]
    }

    mutating func remove(_ id: UInt64) -> Waiter? {
      if let index = writers.firstIndex(where: { $0.id == id }) { return writers.remove(at: index) }
      guard let index = readers.firstIndex(where: { $0.id == id }) else { return nil }
      return readers.remove(at: index)
    }
  }

  private let state = Mutex(State())

  /// The maximum time in milliseconds that a reader waits for writers that are waiting themselves.
  private static let courtesyMilliseconds = 100

  /// Acquires the lock for writing. Returns false once the patience is over.
  func lock(patienceMilliseconds: Int) async throws -> Bool {
    if state.withLock({ $0.takeForWriting() }) { return true }
    return try await wait(patienceMilliseconds, undo: unlock) { state, waiter in
      if state.takeForWriting() { return true }
      state.writers.append(waiter)
      return false
    }
  }

  /// Acquires the lock for writing if it is free. Returns false otherwise.
  func lockIfFree() -> Bool {
    state.withLock { $0.writers.isEmpty && $0.takeForWriting() }
  }

  /// Acquires the lock for reading, shared with other readers. Returns false once the patience is
  /// over.
  ///
  /// - Parameter isNested: whether the caller is inside a read that holds the lock.
  func lockShared(isNested: Bool, patienceMilliseconds: Int) async throws -> Bool {
    if state.withLock({ $0.takeForReading(isNested: isNested) }) { return true }
    return try await wait(patienceMilliseconds, undo: unlockShared) { state, waiter in
      if state.takeForReading(isNested: isNested) { return true }
      state.readers.append(waiter)
      return false
    }
  }

  /// Releases the lock acquired by ``lock(patienceMilliseconds:)``.
  func unlock() {
    wake(
      state.withLock { state in
        state.isHeld = false
        return state.admitReaders() + state.admitWriter()
      }
    )
  }

  /// Releases the lock acquired by ``lockShared(isNested:patienceMilliseconds:)``.
  func unlockShared() {
    wake(
      state.withLock { state in
        state.readerCount -= 1
        return state.admitWriter()
      }
    )
  }

  private func wake(_ waiters: [Waiter]) {
    for waiter in waiters { waiter.continuation.resume(returning: true) }
  }

  private func wait(
    _ patienceMilliseconds: Int,
    undo: () -> Void,
    _ enter: @escaping @Sendable (inout sending State, Waiter) -> Bool
  ) async throws -> Bool {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let timeout = Task { try await self.keepTime(for: id, patienceMilliseconds) }
    defer { timeout.cancel() }
    let isHeld = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          guard !state.withdrawn.contains(id) else { return false }
          return enter(&state, Waiter(id: id, continuation: continuation)) ? true : nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      self.giveUp(id)
    }
    state.withLock { _ = $0.withdrawn.remove(id) }
    if isHeld, Task.isCancelled { undo() }
    try Task.checkCancellation()
    return isHeld
  }

  /// Admits a waiting reader once its courtesy to waiting writers is over, and ends its patience.
  private func keepTime(for id: UInt64, _ patienceMilliseconds: Int) async throws {
    var left = patienceMilliseconds
    while left > 0 {
      let pause = min(left, Self.courtesyMilliseconds)
      try await Task.sleep(for: .milliseconds(pause))
      left -= pause
      admitReader(id)
    }
    giveUp(id)
  }

  private func admitReader(_ id: UInt64) {
    wake(
      state.withLock { state in
        guard !state.isHeld, let index = state.readers.firstIndex(where: { $0.id == id }) else {
          return []
        }
        state.readerCount += 1
        return [state.readers.remove(at: index)]
      }
    )
  }

  private func giveUp(_ id: UInt64) {
    let (waiter, readers) = state.withLock { state in
      let waiter = state.remove(id)
      if waiter == nil { state.withdrawn.insert(id) }
      // Readers that waited only for this writer can be admitted now.
      return (waiter, state.writers.isEmpty ? state.admitReaders() : [])
    }
    waiter?.continuation.resume(returning: false)
    wake(readers)
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
