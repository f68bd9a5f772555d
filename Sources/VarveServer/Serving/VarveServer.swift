import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import ServiceLifecycle
import Synchronization
import UnixSignals
import VarveCore
import VarveJSON

/// A server of the spaces of a folder, alone in its process.
///
/// ```swift
/// let server = VarveServer(try SpaceDirectory("/srv/varve"), access: .open)
/// try await server.run { address in print("listening on \(address)") }
/// ```
public struct VarveServer: Sendable {
  private let spaces: SpaceDirectory
  private let access: Access
  private let limits: ServerLimits
  private let host: String
  private let port: Int
  private let webhooks: WebhookPolicy

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - spaces: the spaces, which are closed when the server ends.
  ///   - access: who may call.
  ///   - host: the address of this computer on which it listens.
  ///   - port: the port; 0 for any that is free.
  ///   - limits: what a client may send.
  ///   - webhooks: how often and how long deliveries of webhooks are tried.
  public init(
    _ spaces: SpaceDirectory,
    access: Access,
    host: String = "127.0.0.1",
    port: Int = 0,
    limits: ServerLimits = ServerLimits(),
    webhooks: WebhookPolicy = WebhookPolicy()
  ) {
    self.spaces = spaces
    self.access = access
    self.host = host
    self.port = port
    self.limits = limits
    self.webhooks = webhooks
  }

  /// Serves until the task is cancelled or the process receives SIGTERM or SIGINT. Requests that are
  /// under way are completed, then the spaces are flushed and closed.
  ///
  /// - Parameters:
  ///   - handlesSignals: whether SIGTERM and SIGINT end the server.
  ///   - listening: called with the server's address, such as `http://127.0.0.1:8080`, once it
  ///     listens.
  /// - Throws: ``VarveError`` with code `inputOutput` if the port is taken.
  public func run(
    handlesSignals: Bool = true,
    _ listening: @escaping @Sendable (String) async -> Void
  ) async throws {
    let host = host.contains(":") ? "[\(host)]" : host
    let wasListening = Mutex(false)
    let application = Application(
      router: router(),
      server: .http1(
        configuration: HTTP1Channel.Configuration(
          idleTimeout: .seconds(Int64(limits.idleSeconds)),
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: limits.headerByteCount,
            maxHeaderListSize: limits.headerByteCount,
            maxHeaderFieldCount: 100
          )
        )
      ),
      configuration: ApplicationConfiguration(
        address: .hostname(self.host, port: port),
        serverName: "varve"
      ),
      onServerRunning: { channel in
        wasListening.withLock { $0 = true }
        await listening("http://\(host):\(channel.localAddress?.port ?? port)")
      }
    )
    var configuration = ServiceGroupConfiguration(
      services: [
        WebhookService(spaces: spaces, limits: limits, policy: webhooks), application,
      ],
      gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [],
      logger: application.logger
    )
    configuration.maximumGracefulShutdownDuration = .seconds(30)
    do {
      try await ServiceGroup(configuration: configuration).run()
    } catch {
      await spaces.close()
      guard !wasListening.withLock({ $0 }) else { throw error }
      throw VarveError(
        .inputOutput,
        "the server cannot listen: \(error)",
        at: "\(host):\(port)",
        remedy: "Choose another port, or 0 for any that is free."
      )
    }
    await spaces.close()
  }

  private func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: UnknownRoutes())
    let isLoopback = ["127.0.0.1", "::1", "localhost"].contains(host)
    VarveRoutes(
      spaces,
      access: access,
      limits: limits,
      hosts: isLoopback ? ["127.0.0.1", "localhost", "[::1]"] : nil
    ).add(to: router)
    router.get("healthz") { _, _ in Reply.document(["ok": true]) }
    router.get("readyz") { [spaces] _, _ in
      let isReady = await spaces.isReady
      return Reply.document(["ok": .bool(isReady)], status: isReady ? .ok : .serviceUnavailable)
    }
    return router
  }
}

/// Replies to requests for which there is no route with a problem document.
private struct UnknownRoutes: RouterMiddleware {
  typealias Context = BasicRequestContext

  @concurrent
  func handle(
    _ request: Request,
    context: BasicRequestContext,
    next: @concurrent (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPError where error.status == .notFound {
      let path = request.uri.path.prefix(100)
      return Problem(
        .notFound,
        "noSuchRoute",
        "there is nothing to \(request.method.rawValue) at \(path)",
        remedy: "Documentation/Server.md lists the routes."
      ).response
    } catch {
      return Problem.of(error).response
    }
  }
}
