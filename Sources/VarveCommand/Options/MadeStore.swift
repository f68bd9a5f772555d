#if CommandLine
import Foundation
import Synchronization
import VarveCore
import VarveStore

/// The file of a store that a command is creating.
///
/// If a signal ends the command before its first commit, the file is removed, because an empty
/// store would suggest that the command succeeded. A separate thread waits for the signal, because
/// the command may be waiting for its input.
final class MadeStore: Sendable {
  /// The files of the store. Those that were there before are not the store's.
  private let files: [String]
  /// Whether the file is removed even if something was committed.
  private let isWhole: Bool
  private let store = Mutex<Store?>(nil)
  /// The two ends of a pipe. A byte in it is the number of a signal.
  private let pipe: (reading: Int32, writing: Int32)

  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  /// The end of the pipe to which the signal handler writes. Set once, before the handler is
  /// installed: a signal handler captures nothing and takes no lock.
  private nonisolated(unsafe) static var handlerPipe: Int32 = -1

  init(_ path: String, isWhole: Bool = false) {
    files = StoreFileNames.all(of: path).filter { FileStatus($0) == nil }
    self.isWhole = isWhole
    var ends: [Int32] = [-1, -1]
    pipe = Foundation.pipe(&ends) == 0 ? (ends[0], ends[1]) : (-1, -1)
    guard pipe.reading >= 0 else { return }
    Self.handlerPipe = pipe.writing
    for number in Self.signals {
      let before = signal(number) { number in
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(MadeStore.handlerPipe, &byte, 1)
      }
      // A background job may ignore these signals from the start.
      if isIgnoring(before) { signal(number, SIG_IGN) }
    }
    Thread.detachNewThread { self.wait() }
  }

  private func isIgnoring(_ handler: sig_t?) -> Bool {
    unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Records that the store was opened, so that it can be checked for commits.
  func opened(_ store: Store) { self.store.withLock { $0 = store } }

  func remove() {
    for file in files { unlink(file) }
  }

  /// Restores the usual effect of signals.
  func endWatching() {
    guard pipe.reading >= 0 else { return }
    for number in Self.signals {
      let before = signal(number, SIG_DFL)
      if isIgnoring(before) { signal(number, SIG_IGN) }
    }
    close(pipe.writing)
  }

  private func wait() {
    var number: UInt8 = 0
    while true {
      let count = read(pipe.reading, &number, 1)
      if count == 1 { break }
      guard count < 0, errno == EINTR else {
        close(pipe.reading)
        return
      }
    }
    awaitOpening()
    if isWhole || isEmpty() { remove() }
    signal(Int32(number), SIG_DFL)
    kill(getpid(), Int32(number))
  }

  /// Waits until the file is complete, or cannot be soon: what is removed earlier is created anew.
  private func awaitOpening() {
    for _ in 0..<1000 where store.withLock({ $0 == nil }) { usleep(5_000) }
  }

  /// Returns whether nothing was committed; false if that cannot be determined soon.
  private func isEmpty() -> Bool {
    guard let store = store.withLock({ $0 }) else { return true }
    let isDone = DispatchSemaphore(value: 0)
    let isEmpty = Mutex(false)
    Task {
      let answer = (try? await store.log(limit: 1).isEmpty) ?? false
      isEmpty.withLock { $0 = answer }
      isDone.signal()
    }
    guard isDone.wait(timeout: .now() + .seconds(5)) == .success else { return false }
    return isEmpty.withLock { $0 }
  }
}
#endif
