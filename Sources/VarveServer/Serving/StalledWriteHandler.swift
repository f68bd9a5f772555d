#if Server
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client stops reading a reply, so that it cannot hold the reply's
/// resources.
final class StalledWriteHandler: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let patience: TimeAmount
  private var pendingCount = 0
  private var writtenCount = 0
  private var isWatching = false

  init(patience: TimeAmount) { self.patience = patience }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let written = promise ?? context.eventLoop.makePromise()
    pendingCount += 1
    written.futureResult.assumeIsolated().whenComplete { _ in
      self.pendingCount -= 1
      self.writtenCount += 1
    }
    context.write(data, promise: written)
    watch(context)
  }

  private func watch(_ context: ChannelHandlerContext) {
    guard !isWatching else { return }
    isWatching = true
    let before = writtenCount
    context.eventLoop.assumeIsolated().scheduleTask(in: patience) {
      self.isWatching = false
      guard self.pendingCount > 0, context.channel.isActive else { return }
      guard self.writtenCount > before else { return context.close(promise: nil) }
      self.watch(context)
    }
  }
}
#endif
