#if Server
import Hummingbird
public import NIOCore
public import NIOHTTPTypes

/// Notices that a client has left: that it closed its connection, or its side of it.
///
/// ``VarveServer`` adds one to each connection. An application that mounts ``VarveRoutes`` adds it
/// too; see ``DepartureContext``.
public final class DepartureHandler: ChannelInboundHandler, RemovableChannelHandler {
  /// The parts of requests, which pass unchanged.
  public typealias InboundIn = HTTPRequestPart

  /// Whether the client has left.
  private(set) var hasLeft = false

  /// Creates a handler for one connection.
  public init() {}

  /// Notes that the connection was closed.
  public func channelInactive(context: ChannelHandlerContext) {
    hasLeft = true
    context.fireChannelInactive()
  }

  /// Notes that the client closed its side of the connection.
  public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { hasLeft = true }
    context.fireUserInboundEventTriggered(event)
  }
}

/// A context of requests that can say whether the client is still there.
///
/// What a client asked for is ended if it leaves, where the context of the application is one, and
/// its connections have a ``DepartureHandler``; otherwise it runs until its time is over:
///
/// ```swift
/// struct PageContext: RequestContext, DepartureContext {
///   var coreContext: CoreRequestContextStorage
///   let channel: any Channel
///
///   init(source: ApplicationRequestContextSource) {
///     coreContext = CoreRequestContextStorage(source: source)
///     channel = source.channel
///   }
/// }
///
/// let application = Application(
///   router: router,
///   server: .http1(configuration: .init(additionalChannelHandlers: [DepartureHandler()]))
/// )
/// ```
public protocol DepartureContext: Sendable {
  /// The connection of the client.
  var channel: any Channel { get }
}

extension DepartureContext {
  /// Returns whether the client has left.
  func hasLeft() async -> Bool {
    let channel = channel
    guard channel.isActive else { return true }
    let left = channel.eventLoop.submit {
      try channel.pipeline.syncOperations.handler(type: DepartureHandler.self).hasLeft
    }
    return (try? await left.get()) ?? false
  }
}

/// The context of the requests of a server.
struct ServedContext: RequestContext, DepartureContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}
#endif
