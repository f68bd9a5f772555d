#if canImport(Darwin)
import Darwin
@preconcurrency package import Dispatch
import Foundation

/// Calls back when the write-ahead logs of some files change, by kqueue.
///
/// Only the log is opened, which has all new commits. A process that closes a descriptor of a store's
/// own file loses the locks that SQLite has on it; SQLite has none on the log. Not `Sendable`: it is
/// used on its queue alone.
package final class FolderSignals {
  private struct Watch {
    let source: any DispatchSourceFileSystemObject
    var count: Int
  }

  /// The least time between two calls: the kernel collects what happens meanwhile.
  private static let pause = DispatchTimeInterval.milliseconds(40)

  private let queue: DispatchQueue
  private let changed: @Sendable () -> Void
  /// The watches, by the path of the log.
  private var watches: [String: Watch] = [:]

  /// Always succeeds; ``watch(_:)`` says whether a file can be watched.
  package init?(on queue: DispatchQueue, changed: @escaping @Sendable () -> Void) {
    (self.queue, self.changed) = (queue, changed)
  }

  deinit {
    for watch in watches.values { watch.source.cancel() }
  }

  /// Watches the write-ahead log of a file. Returns false if it cannot be opened.
  package func watch(_ file: String) -> Bool {
    let log = file + "-wal"
    if let watch = watches[log] {
      watches[log]?.count = watch.count + 1
      return true
    }
    guard let source = makeSource(log) else { return false }
    watches[log] = Watch(source: source, count: 1)
    return true
  }

  /// Ends a watch that began.
  package func unwatch(_ file: String) {
    let log = file + "-wal"
    guard let watch = watches[log] else { return }
    watches[log]?.count = watch.count - 1
    guard watch.count == 1 else { return }
    watch.source.cancel()
    watches[log] = nil
  }

  private func makeSource(_ log: String) -> (any DispatchSourceFileSystemObject)? {
    let descriptor = open(log, O_EVTONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    let source = DispatchSource.makeFileSystemObjectSource(
      fileDescriptor: descriptor,
      eventMask: [.write, .extend, .delete, .rename, .revoke],
      queue: queue
    )
    source.setCancelHandler { close(descriptor) }
    source.setEventHandler { [weak self] in
      guard let self, let source = watches[log]?.source else { return }
      let isGone = !source.data.intersection([.delete, .rename, .revoke]).isEmpty
      source.suspend()
      queue.asyncAfter(deadline: .now() + Self.pause) { source.resume() }
      if isGone { renew(log) }
      changed()
    }
    source.resume()
    return source
  }

  /// Watches the log that has taken the place of another. While there is none, callers find changes
  /// when they look in any case.
  private func renew(_ log: String) {
    guard let old = watches[log] else { return }
    old.source.cancel()
    watches[log] = makeSource(log).map { Watch(source: $0, count: old.count) }
  }
}
#endif
