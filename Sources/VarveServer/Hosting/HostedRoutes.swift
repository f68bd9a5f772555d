#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging

/// Varve's routes for a server of another framework, such as Vapor.
///
/// The server passes on each request whose path begins with a prefix, and sends the reply:
///
/// ```swift
/// let routes = HostedRoutes(VarveRoutes(spaces, access: .open), below: "/data")
/// let reply = await routes.reply(to: HostedRequest(head, body: body) { !channel.isActive })
/// // Sends reply.head, then the body:
/// try await reply.writeBody { part in try await writer.write(part) }
/// ```
///
/// `Documentation/Server.md` has the whole of it for Vapor. In an application of Hummingbird,
/// ``VarveRoutes/add(to:)`` does the same with less.
///
/// The framework is responsible for what a connection needs: TLS, idle clients, and the size of a
/// request's head. Deliveries of webhooks need a ``VarveServer``.
public struct HostedRoutes: Sendable {
  private let limits: ServerLimits
  private let prefix: String
  private let logger: Logger
  private let responder: RouterResponder<HostedContext>

  /// Creates the routes.
  ///
  /// - Parameters:
  ///   - routes: the routes.
  ///   - prefix: what the paths of requests begin with, such as `/data`; empty if nothing.
  ///   - logger: the log of failures.
  public init(
    _ routes: VarveRoutes,
    below prefix: String = "",
    logger: Logger = Logger(label: "varve.server")
  ) {
    let parts = prefix.split(separator: "/")
    self.prefix = parts.map { "/\($0)" }.joined()
    self.logger = logger
    limits = routes.limits
    let router = Router(context: HostedContext.self)
    router.add(middleware: UnknownRoutes(limits: limits))
    routes.add(to: router)
    responder = router.buildResponder()
  }

  /// Returns the reply to a request.
  ///
  /// A HEAD request gets the head of the reply to the same GET request, and no body. Errors are
  /// replies too. What a request asked for ends if its client leaves, or if this task is cancelled.
  public func reply(to request: HostedRequest) async -> HostedReply {
    var head = request.head
    guard let path = ownPath(head.path ?? "/") else {
      return HostedReply(
        UnknownRoutes<HostedContext>.reply(to: Request(head: head, body: request.body))
      )
    }
    head.path = path
    var own = logger
    own[metadataKey: "hb.request.id"] = .string(RequestID().description)
    let context = HostedContext(source: HostedSource(logger: own, hasLeft: request.hasLeft))
    do {
      let response = try await HeadRequest.reply(to: Request(head: head, body: request.body)) {
        try await responder.respond(to: $0, context: context)
      }
      return HostedReply(response)
    } catch {
      return HostedReply(Problem.of(error).response)
    }
  }

  /// Returns a path without the prefix; nil if it does not begin with it.
  private func ownPath(_ path: String) -> String? {
    guard path.hasPrefix(prefix) else { return nil }
    let rest = path.dropFirst(prefix.count)
    if rest.isEmpty { return "/" }
    if rest.hasPrefix("?") { return "/\(rest)" }
    return rest.hasPrefix("/") ? String(rest) : nil
  }
}
#endif
