#if Server
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// The connections that a server has accepted and not begun to handle.
///
/// Hummingbird loses them if its task is cancelled, and NIO ends the process for that. So the task
/// is cancelled only when the server listens no longer and no connection waits.
final class WaitingConnections: Sendable {
  private struct State {
    var listener: (any Channel)?
    var count = 0
  }

  private let state = Mutex(State())

  /// Sets the channel that accepts the connections.
  func setListener(_ channel: any Channel) {
    state.withLock { $0.listener = channel }
  }

  /// Whether the server has begun to listen.
  var hasListener: Bool { state.withLock { $0.listener != nil } }

  fileprivate func add(_ number: Int) {
    state.withLock { $0.count += number }
  }

  /// Waits until no further connection is accepted and all others are handled.
  func end() async throws {
    try await state.withLock { $0.listener }?.closeFuture.get()
    while state.withLock({ $0.count > 0 }) { try await Task.sleep(for: .milliseconds(1)) }
  }
}

/// A kind of connection that counts those that wait, and guards them.
struct CountedConnection<Base: ServerChildChannel>: ServerChildChannel {
  private let base: Base
  private let waiting: WaitingConnections
  /// The time in which a TLS handshake is complete.
  private let patience: TimeAmount

  init(_ base: Base, _ waiting: WaitingConnections, patience: TimeAmount) {
    self.base = base
    self.waiting = waiting
    self.patience = patience
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
    waiting.add(1)
    let value = base.setup(channel: channel, logger: logger).flatMapThrowing { value in
      try ConnectionGuard.add(to: channel, patience: patience)
      return value
    }
    value.whenFailure { [waiting] _ in waiting.add(-1) }
    return value
  }

  func handle(value: Base.Value, logger: Logger) async {
    waiting.add(-1)
    await base.handle(value: value, logger: logger)
  }
}
#endif
