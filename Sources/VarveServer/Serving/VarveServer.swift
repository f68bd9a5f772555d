import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
public import Logging
import Metrics
import NIOCore
import ServiceLifecycle
import Synchronization
import UnixSignals
import VarveCore
import VarveJSON

/// A server of the spaces of a folder or a home, alone in its process.
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

  /// The certificate; without one, connections are not encrypted.
  public var tls: TLSFiles?
  /// The host names that requests may use besides the loopback names, and the sites whose pages may
  /// call.
  public var names = ServerNames()
  /// How much a client may ask for in a minute.
  public var quotas = ServerQuotas()
  /// The log of requests.
  public var logger = Logger(label: "varve.server")
  /// What is measured, which `GET /metrics` prints.
  public var metrics = PrometheusMetrics()

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
    let scheme = tls == nil ? "http" : "https"
    let host = host.contains(":") ? "[\(host)]" : host
    let wasListening = Mutex(false)
    let identity = try tls.map { files in
      try TLSIdentity(files, logger: logger, handlesSignals: handlesSignals)
    }
    let application = Application(
      router: router(),
      server: try channel(identity),
      configuration: ApplicationConfiguration(
        address: .hostname(self.host, port: port),
        serverName: "varve",
        availableConnectionsDelegate: MaximumAvailableConnections(limits.connectionCount)
      ),
      services: identity.map { [$0] } ?? [],
      onServerRunning: { channel in
        wasListening.withLock { $0 = true }
        await listening("\(scheme)://\(host):\(channel.localAddress?.port ?? port)")
      },
      logger: logger
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
        remedy: "Choose another port, or 0 for any free port."
      )
    }
    await spaces.close()
  }

  /// HTTP/1.1 without TLS; with it, HTTP/2 if the client can (ALPN).
  private func channel(_ identity: TLSIdentity?) throws -> HTTPServerBuilder {
    let patience = TimeAmount.seconds(Int64(limits.idleSeconds))
    let plain = HTTP1Channel.Configuration(
      additionalChannelHandlers: [StalledWriteHandler(patience: patience)],
      idleTimeout: patience,
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: limits.headerByteCount,
        maxHeaderListSize: limits.headerByteCount,
        maxHeaderFieldCount: 100
      )
    )
    guard let identity else { return .http1(configuration: plain) }
    return try .http2Upgrade(
      tlsConfiguration: try identity.configuration(),
      configuration: .init(
        idleTimeout: .seconds(limits.idleSeconds),
        gracefulCloseTimeout: .seconds(10),
        streamConfiguration: plain
      )
    )
  }

  /// The names of this server. On loopback, no others are accepted than those given.
  var ownNames: ServerNames {
    var names = names
    guard ["127.0.0.1", "::1", "localhost"].contains(host) else { return names }
    names.hosts = ServerNames.loopback.union(names.hosts ?? [])
    return names
  }

  private func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: RequestRecorder(logger, metrics))
    router.add(middleware: UnknownRoutes())
    let routes = VarveRoutes(
      spaces,
      access: access,
      limits: limits,
      names: ownNames,
      quotas: quotas
    )
    routes.add(to: router)
    addMetrics(to: router, of: routes)
    addDescription(to: router)
    addInspector(to: router)
    router.get("healthz") { [spaces] _, _ in Reply.document(await Self.health(of: spaces, true)) }
    router.get("readyz") { [spaces] _, _ in
      let isReady = await spaces.isReady
      return Reply.document(
        await Self.health(of: spaces, isReady),
        status: isReady ? .ok : .serviceUnavailable
      )
    }
    return router
  }

  /// Whether the server is well, and whether the home of its spaces can be reached.
  private static func health(of spaces: SpaceDirectory, _ isWell: Bool) async -> JSON {
    guard spaces.homeShelf != nil else { return ["ok": .bool(isWell)] }
    return ["ok": .bool(isWell), "home": await spaces.isHomeThere ? "there" : "away"]
  }
}

extension VarveServer {
  /// Adds `GET /metrics`, which needs a token of an operator, unless the server is open.
  private func addMetrics(to router: Router<BasicRequestContext>, of routes: VarveRoutes) {
    let openSpaces = Gauge(label: "varve_open_spaces", factory: metrics)
    let openStreams = Gauge(label: "varve_open_streams", factory: metrics)
    let home = HomeGauges(spaces, metrics)
    let names = ownNames
    router.get("metrics") { [access, metrics, spaces] request, _ in
      do {
        try names.require(request)
        try await access.principal(of: request).requireOperator()
      } catch {
        return Problem.of(error).response
      }
      openSpaces.record(await spaces.openCount)
      openStreams.record(routes.streams.count)
      await home?.record()
      return Response(
        status: .ok,
        headers: [.contentType: "text/plain; version=0.0.4", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text()))
      )
    }
  }
}

extension VarveServer {
  /// Adds `GET /openapi.json`, which needs no token: it says only what this documentation says.
  private func addDescription(to router: Router<BasicRequestContext>) {
    let names = ownNames
    router.get("openapi.json") { request, _ in
      do { try names.require(request) } catch { return Problem.of(error).response }
      return names.shared(
        Compression.compressed(Reply.document(OpenAPIDocument.json), for: request),
        with: request
      )
    }
  }

  /// The routes that the server has, as `METHOD /path/{parameter}`.
  package var routeNames: Set<String> {
    Set(
      router().routes.filter { $0.method != .options }.map { route in
        let path = route.path.description.split(separator: "/").map { part in
          part.hasPrefix(":") ? "{\(part.dropFirst())}" : String(part)
        }
        return "\(route.method) /\(path.joined(separator: "/"))"
      }
    )
  }

  /// The routes that `GET /openapi.json` describes.
  package static var documentedRouteNames: Set<String> {
    Set(OpenAPIDocument.routes.map { "\($0.method) \($0.path)" })
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
