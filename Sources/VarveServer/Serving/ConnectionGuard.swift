#if Server
import NIOCore
import NIOSSL
import NIOTLS

/// Closes an encrypted connection whose TLS handshake takes too long, and one of HTTP/2 that has no
/// request for too long.
///
/// Before the handshake it is not known which version of HTTP a connection speaks, so the limits of
/// neither apply to it. Afterwards a connection of HTTP/1 has a limit of its own. One of HTTP/2 is
/// asked to close by its manager, which waits for a client's reply without a limit.
final class ConnectionGuard: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  /// The time in which a client that was asked to close a connection does so.
  static let closing = TimeAmount.seconds(10)

  private let patience: TimeAmount
  private var timer: Scheduled<Void>?
  private var context: ChannelHandlerContext?
  /// The number of open streams of HTTP/2; nil before the handshake is complete.
  private var streamCount: Int?
  private var isStopping = false

  private init(patience: TimeAmount) { self.patience = patience }

  /// Adds a guard to a new connection, if it is encrypted.
  static func add(to channel: any Channel, patience: TimeAmount) throws {
    let pipeline = channel.pipeline.syncOperations
    guard let tls = try? pipeline.handler(type: NIOSSLServerHandler.self) else { return }
    try pipeline.addHandler(ConnectionGuard(patience: patience), position: .after(tls))
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    close(in: patience)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    self.context = nil
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case TLSUserEvent.handshakeCompleted(let version):
      context.fireUserInboundEventTriggered(event)
      guard version == "h2" else {
        timer?.cancel()
        return context.pipeline.syncOperations.removeHandler(self, promise: nil)
      }
      streamCount = streamCount ?? 0
      closeIfIdle()
    case is ChannelShouldQuiesceEvent:
      isStopping = true
      if streamCount == nil { context.close(promise: nil) } else { closeIfIdle() }
      context.fireUserInboundEventTriggered(event)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  fileprivate func begin() {
    streamCount = (streamCount ?? 0) + 1
    timer?.cancel()
  }

  fileprivate func end() {
    streamCount = (streamCount ?? 1) - 1
    closeIfIdle()
  }

  /// Closes the connection after some time, unless a stream is open or opens until then.
  private func closeIfIdle() {
    guard streamCount == 0 else { return }
    close(in: isStopping ? Self.closing : patience + Self.closing)
  }

  private func close(in time: TimeAmount) {
    timer?.cancel()
    timer = context?.eventLoop.assumeIsolated().scheduleTask(in: time) {
      self.context?.close(promise: nil)
    }
  }
}

/// Reports a stream of HTTP/2 to the guard of its connection. On HTTP/1 it does nothing.
final class StreamCounter: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Any

  private var connection: ConnectionGuard?

  func handlerAdded(context: ChannelHandlerContext) {
    // The parent of a connection is the listener, which may be on another event loop.
    guard let parent = context.channel.parent, parent.eventLoop.inEventLoop else { return }
    connection = try? parent.pipeline.syncOperations.handler(type: ConnectionGuard.self)
    connection?.begin()
  }

  func handlerRemoved(context: ChannelHandlerContext) { leave() }

  func channelInactive(context: ChannelHandlerContext) {
    leave()
    context.fireChannelInactive()
  }

  private func leave() {
    connection?.end()
    connection = nil
  }
}
#endif
