import Dispatch
import Foundation
import Synchronization
import VarveCore

/// Flushes the write-ahead log of one store to the disk, for all tasks that wait for it at once.
///
/// A flush covers what was written before it began. So a task that arrives during a flush waits for
/// the next one, which it shares with all that arrive until then.
///
/// After a flush has failed, the system may have dropped what it could not write, and another flush
/// would succeed without it. So all later ones fail too, until the store is opened again.
final class LogFlusher: Sendable {
  private struct State {
    var waiters: [CheckedContinuation<Void, any Error>] = []
    var isFlushing = false
    var failure: VarveError?
  }

  private let state = Mutex(State())
  private let place: String
  private let flush: @Sendable () throws -> Void

  /// A flush blocks its thread, so it does not run on one of the tasks' threads.
  private static let queue = DispatchQueue(label: "varve.flushing", attributes: .concurrent)

  /// - Parameters:
  ///   - path: the store's file.
  ///   - flush: flushes what was written before it began; nil for the system's flush.
  init(_ path: String, _ flush: (@Sendable () throws -> Void)? = nil) {
    let log = StoreFile.resolved(path) + "-wal"
    place = log
    self.flush = flush ?? { try Self.flush(log) }
  }

  /// Returns when everything that was written before the call is on the disk.
  ///
  /// - Throws: ``VarveError`` with code `inputOutput` if that is not certain.
  func flushed() async throws {
    try await withCheckedThrowingContinuation { continuation in
      let begins = state.withLock { state in
        state.waiters.append(continuation)
        defer { state.isFlushing = true }
        return !state.isFlushing
      }
      if begins { Self.queue.async { self.serve() } }
    }
  }

  /// Flushes for the tasks that wait, until none does.
  private func serve() {
    while let waiters = takeWaiters() {
      let result = Result { try flushOnce() }
      for waiter in waiters { waiter.resume(with: result) }
    }
  }

  private func takeWaiters() -> [CheckedContinuation<Void, any Error>]? {
    state.withLock { state in
      guard !state.waiters.isEmpty else {
        state.isFlushing = false
        return nil
      }
      defer { state.waiters = [] }
      return state.waiters
    }
  }

  private func flushOnce() throws {
    if let failure = state.withLock({ $0.failure }) { throw failure }
    do {
      try flush()
    } catch {
      let failure = VarveError(
        .inputOutput,
        "the log could not be flushed to the disk: \(error.localizedDescription)",
        at: place,
        remedy: "Check the disk, then close the store and open it again. "
          + "Until then, the latest commits may not survive a power loss."
      )
      state.withLock { $0.failure = failure }
      throw failure
    }
  }

  private static func flush(_ log: String) throws {
    do {
      // SQLite holds no locks on this file, which closing a handle on it would release.
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: log))
      defer { try? handle.close() }
      guard FileFlush.flush(handle.fileDescriptor) else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
    } catch CocoaError.fileReadNoSuchFile {
      // Nothing was written yet, or the log was copied and removed when the store was last closed.
    }
  }
}
