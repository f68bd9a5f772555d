#if Server
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Ends the process some time after its server began to stop, whatever its threads do then.
///
/// A thread that is busy inside a library cannot be stopped, and the server would wait for it. What
/// was acknowledged is on the disk, so nothing is lost.
package final class LastResort: Service {
  private let seconds: Int
  private let end: @Sendable () -> Void
  private let isOver = Atomic(false)

  /// The number of seconds that cancelled requests have to notice it.
  static let cancellationSeconds = 5

  /// - Parameters:
  ///   - seconds: the time from the beginning of the stop on.
  ///   - end: ends the process.
  package init(after seconds: Int, end: @escaping @Sendable () -> Void) {
    self.seconds = seconds
    self.end = end
  }

  convenience init(after graceSeconds: Int, _ logger: Logger) {
    let seconds = graceSeconds + Self.cancellationSeconds
    self.init(after: seconds) {
      logger.critical(
        "the process is ended: requests did not end",
        metadata: ["seconds": "\(seconds)"]
      )
      _exit(1)
    }
  }

  /// Waits until the server begins to stop.
  package func run() async throws {
    try await gracefulShutdown()
    begin()
  }

  /// Begins the time. A thread of its own waits, because others may all be busy.
  package func begin() {
    let deadline = Date(timeIntervalSinceNow: TimeInterval(seconds))
    Thread.detachNewThread { [self] in
      while !isOver.load(ordering: .acquiring) {
        guard Date() < deadline else { return end() }
        Thread.sleep(forTimeInterval: min(0.1, max(0.001, deadline.timeIntervalSinceNow)))
      }
    }
  }

  /// Notes that the server has ended by itself.
  package func disarm() { isOver.store(true, ordering: .releasing) }
}
#endif
