@preconcurrency package import Dispatch
import Foundation

#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Calls back when files of some folders change, by inotify.
///
/// The kernel's events wake a queue, which sleeps while nothing happens. Not `Sendable`: it is used on
/// that queue alone.
package final class FolderSignals {
  /// The least time between two calls: the kernel collects what happens meanwhile.
  private static let pause = DispatchTimeInterval.milliseconds(40)
  private static let mask =
    UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_TO)
    | UInt32(IN_MOVED_FROM)

  private let descriptor: Int32
  private let source: any DispatchSourceRead
  /// The names of the watched files, by the number of their folder's watch.
  private var names: [Int32: [String: Int]] = [:]

  /// Returns nil if the system gives no more such watches.
  package init?(on queue: DispatchQueue, changed: @escaping @Sendable () -> Void) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    let descriptor = descriptor
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setCancelHandler { close(descriptor) }
    source.setEventHandler { [weak self] in
      guard let self else { return }
      let isRelevant = takeEvents()
      source.suspend()
      queue.asyncAfter(deadline: .now() + Self.pause) { [source] in source.resume() }
      if isRelevant { changed() }
    }
    source.resume()
  }

  deinit { source.cancel() }

  /// Watches a file, and its write-ahead log. Returns false if the folder cannot be watched.
  package func watch(_ file: String) -> Bool {
    let (folder, name) = Self.parts(file)
    let number = inotify_add_watch(descriptor, folder, Self.mask)
    guard number >= 0 else { return false }
    for name in [name, name + "-wal"] { names[number, default: [:]][name, default: 0] += 1 }
    return true
  }

  /// Ends a watch that began.
  package func unwatch(_ file: String) {
    let (folder, name) = Self.parts(file)
    let number = inotify_add_watch(descriptor, folder, Self.mask)
    guard number >= 0, var left = names[number] else { return }
    for name in [name, name + "-wal"] {
      let count = (left[name] ?? 1) - 1
      left[name] = count > 0 ? count : nil
    }
    names[number] = left.isEmpty ? nil : left
    if left.isEmpty { inotify_rm_watch(descriptor, number) }
  }

  private static func parts(_ file: String) -> (folder: String, name: String) {
    let url = URL(fileURLWithPath: file)
    return (url.deletingLastPathComponent().path, url.lastPathComponent)
  }

  /// Reads what happened. Returns whether it concerns a watched file.
  private func takeEvents() -> Bool {
    var isRelevant = false
    let headCount = MemoryLayout<inotify_event>.size
    withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        var place = 0
        while place + headCount <= count {
          let event = buffer.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
          let text = UnsafeRawBufferPointer(rebasing: buffer[(place + headCount)...])
            .prefix(min(Int(event.len), count - place - headCount)).prefix { $0 != 0 }
          let name = String(decoding: text, as: UTF8.self)
          // Events were lost, or a folder went away: whatever is watched may have changed.
          let isWhole = event.mask & (UInt32(IN_Q_OVERFLOW) | UInt32(IN_IGNORED)) != 0
          if isWhole || names[event.wd]?[name] != nil { isRelevant = true }
          place += headCount + Int(event.len)
        }
      }
    }
    return isRelevant
  }
}
#elseif !canImport(Darwin)
/// Systems whose files are not watched: callers look at them often instead.
package final class FolderSignals {
  package init?(on queue: DispatchQueue, changed: @escaping @Sendable () -> Void) { return nil }
  package func watch(_ file: String) -> Bool { false }
  package func unwatch(_ file: String) {}
}
#endif
