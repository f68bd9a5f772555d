#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
public import Logging
import Metrics
import NIOCore
import ServiceLifecycle
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
  let spaces: SpaceDirectory
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

  /// Serves until the process receives SIGTERM or SIGINT, or the task is cancelled. Then the spaces
  /// are flushed and closed.
  ///
  /// After a signal, requests that are under way have ``ServerLimits/graceSeconds`` to complete.
  /// Then they are cancelled, and five seconds later the process ends with the status 1, whatever
  /// its threads do. If the task is cancelled, they are cancelled too.
  ///
  /// - Parameters:
  ///   - handlesSignals: whether SIGTERM and SIGINT end the server.
  ///   - listening: called with the server's address, such as `http://127.0.0.1:8080`, once it
  ///     listens.
  /// - Throws: `VarveError`: `inputOutput` if the port is taken; `invalidArgument`, `notFound` or
  ///   `inputOutput` if the certificate or the keys of tokens cannot be used.
  public func run(
    handlesSignals: Bool = true,
    _ listening: @escaping @Sendable (String) async -> Void
  ) async throws {
    let scheme = tls == nil ? "http" : "https"
    let host = host.contains(":") ? "[\(host)]" : host
    let waiting = WaitingConnections()
    let identity = try await identity(handlesSignals: handlesSignals)
    let application = Application(
      responder: ServedResponder(
        recorder: RequestRecorder(logger, metrics),
        routes: router().buildResponder()
      ),
      server: try connections(identity, waiting),
      configuration: ApplicationConfiguration(
        address: .hostname(self.host, port: port),
        serverName: "varve",
        availableConnectionsDelegate: MaximumAvailableConnections(limits.connectionCount)
      ),
      services: identity.map { [$0] } ?? [],
      onServerRunning: { channel in
        waiting.setListener(channel)
        await listening("\(scheme)://\(host):\(channel.localAddress?.port ?? port)")
      },
      logger: logger
    )
    let lastResort = LastResort(after: limits.graceSeconds, logger)
    defer { lastResort.disarm() }
    // The last service is the first that is stopped.
    let ends: [any Service] = handlesSignals ? [lastResort] : []
    var configuration = ServiceGroupConfiguration(
      services: [
        KeptFileWatch(
          access: access,
          grants: spaces.grants,
          folder: spaces.folder,
          logger: logger
        ),
        WebhookService(spaces: spaces, limits: limits, policy: webhooks), application,
      ] + ends,
      gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [],
      logger: application.logger
    )
    configuration.maximumGracefulShutdownDuration = .seconds(limits.graceSeconds)
    do {
      try await Self.run(ServiceGroup(configuration: configuration), waiting)
    } catch {
      await spaces.close()
      guard !waiting.hasListener, !Task.isCancelled else { throw error }
      throw VarveError(
        .inputOutput,
        "the server cannot listen: \(error)",
        at: "\(host):\(port)",
        remedy: "Choose another port, or 0 for any free port."
      )
    }
    await spaces.close()
  }

  /// Reads the certificate, and the keys of tokens for the first time. If one of them cannot be
  /// used, the spaces are closed.
  private func identity(handlesSignals: Bool) async throws -> TLSIdentity? {
    do {
      try await access.prepare()
      return try tls.map { files in
        try TLSIdentity(files, logger: logger, handlesSignals: handlesSignals)
      }
    } catch {
      await spaces.close()
      throw error
    }
  }

  /// Runs services until they end. If the task is cancelled, the server first stops to listen.
  private static func run(_ group: ServiceGroup, _ waiting: WaitingConnections) async throws {
    let running = Task { try await group.run() }
    try await withTaskCancellationHandler {
      try await running.value
    } onCancel: {
      Task {
        await group.triggerGracefulShutdown()
        try await waiting.end()
        running.cancel()
      }
    }
  }

  /// HTTP/1.1 without TLS; with it, HTTP/2 if the client can (ALPN).
  private func connections(
    _ identity: TLSIdentity?,
    _ waiting: WaitingConnections
  ) throws -> HTTPServerBuilder {
    let patience = TimeAmount.seconds(Int64(limits.idleSeconds))
    let plain = HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        HeadGuardInstaller(limit: limits.headerByteCount), StalledWriteHandler(patience: patience),
        DepartureHandler(), ContinueHandler(limits), StreamCounter(),
      ],
      idleTimeout: patience,
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: limits.headerByteCount,
        maxHeaderListSize: limits.headerByteCount,
        maxHeaderFieldCount: 100
      )
    )
    guard let identity else {
      return HTTPServerBuilder { responder in
        CountedConnection(
          HTTP1Channel(responder: responder, configuration: plain),
          waiting,
          patience: patience
        )
      }
    }
    let certificate = try identity.configuration()
    let encrypted = HTTP2UpgradeChannel.Configuration(
      idleTimeout: .seconds(limits.idleSeconds),
      gracefulCloseTimeout: Duration(ConnectionGuard.closing),
      streamConfiguration: plain
    )
    return HTTPServerBuilder { responder in
      CountedConnection(
        try HTTP2UpgradeChannel(
          tlsConfiguration: certificate,
          configuration: encrypted,
          responder: responder
        ),
        waiting,
        patience: patience
      )
    }
  }

  /// The names of this server. On loopback, no others are accepted than those given.
  var ownNames: ServerNames {
    var names = names
    guard ["127.0.0.1", "::1", "localhost"].contains(host) else { return names }
    names.hosts = ServerNames.loopback.union(names.hosts ?? [])
    return names
  }

  func router() -> Router<ServedContext> {
    let router = Router(context: ServedContext.self)
    router.add(middleware: UnknownRoutes(limits: limits))
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
      let isReady = await spaces.isReady()
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
    let state = await spaces.homeState ?? .there
    return ["ok": .bool(isWell), "home": .string(state.rawValue)]
  }
}
#endif
