#if Server
import NIOCore
import NIOSSL
import NIOTLS

/// Closes a connection whose TLS handshake takes too long, or is not complete when the server stops.
///
/// Before the handshake it is not known which version of HTTP a connection speaks, so the limits of
/// neither apply to it.
final class HandshakeGuard: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private let patience: TimeAmount
  private var timer: Scheduled<Void>?

  private init(patience: TimeAmount) { self.patience = patience }

  /// Adds a guard to a new connection, if it is encrypted.
  static func add(to channel: any Channel, patience: TimeAmount) throws {
    let pipeline = channel.pipeline.syncOperations
    guard let tls = try? pipeline.handler(type: NIOSSLServerHandler.self) else { return }
    try pipeline.addHandler(HandshakeGuard(patience: patience), position: .after(tls))
  }

  func handlerAdded(context: ChannelHandlerContext) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: patience) {
      context.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent {
      timer?.cancel()
      context.fireUserInboundEventTriggered(event)
      context.pipeline.syncOperations.removeHandler(self, promise: nil)
      return
    }
    if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }
}
#endif
