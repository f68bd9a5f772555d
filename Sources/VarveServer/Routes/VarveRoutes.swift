#if Server
import HTTPTypes
public import Hummingbird
import HummingbirdCore
import VarveCore
import VarveJSON
import VarveStore

/// The routes of a server of spaces, which can be mounted in any application of Hummingbird.
///
/// ```swift
/// let spaces = try SpaceDirectory("/srv/varve")
/// let router = Router()
/// VarveRoutes(spaces, access: .open).add(to: router.group("data"))
/// ```
///
/// All are under `/v1`. `Documentation/Server.md` describes each. With a ``DepartureContext``, what
/// a client asked for is ended if it leaves.
public struct VarveRoutes: Sendable {
  let spaces: SpaceDirectory
  let access: Access
  let limits: ServerLimits
  let tickets = Tickets()
  let names: ServerNames
  let books: QuotaBooks
  let cover: FileCover
  let turns: RequestTurns
  let pulse: StreamPulse
  let streams = StreamCount()

  /// Creates the routes.
  ///
  /// - Parameters:
  ///   - spaces: the spaces.
  ///   - access: who may call.
  ///   - limits: what a client may send.
  ///   - names: the names by which the server may be called, and the sites that may call it.
  ///   - quotas: how much a client may ask for in a minute.
  public init(
    _ spaces: SpaceDirectory,
    access: Access,
    limits: ServerLimits = ServerLimits(),
    names: ServerNames = ServerNames(),
    quotas: ServerQuotas = ServerQuotas()
  ) {
    self.spaces = spaces
    self.access = access
    self.limits = limits
    self.names = names
    books = QuotaBooks(quotas)
    cover = FileCover(spaces)
    turns = RequestTurns(atMost: limits.principalRequestCount)
    pulse = StreamPulse(
      every: .seconds(limits.heartbeatSeconds),
      now: { access.now() },
      revision: { await access.revision() + (spaces.grants?.revision() ?? 0) }
    )
  }

  /// Adds the routes to a router or a group of one.
  public func add(to router: some RouterMethods) {
    let root = router.group("v1")
    // A path that has a route for another method does not reach that of all paths.
    for path in OpenAPIDocument.sharedPaths + ["**"] {
      let pattern = path.replacing("{", with: ":").replacing("}", with: "")
      root.on(RouterPath(pattern), method: .options) { request, _ in names.preflight(request) }
    }
    root.get { request, context in
      await reply(request, context) { call in Reply.document(Self.description(limits)) }
    }
    addTickets(to: root)
    root.get("spaces") { request, context in await reply(request, context, list) }
    addSpaces(to: root.group("spaces/:space"))
  }

  private func addSpaces(to group: RouterGroup<some RequestContext>) {
    group.put { request, context in await reply(request, context, create) }
    group.delete { request, context in await reply(request, context, end) }
    group.get { request, context in
      await reply(request, context, .reader, isBlind: true) { call, space in
        try await call.work.run { try await describe(call, space) }
      }
    }
    for (path, handler) in Self.readingRoutes {
      group.get(RouterPath(path)) { request, context in
        await reply(request, context, .reader) { call, space in
          try await call.work.run { try await handler(call, space) }
        }
      }
    }
    addChanges(to: group)
    addBackup(to: group)
    addWebhooks(to: group)
    addGrants(to: group)
    group.post("operations") { request, context in await operations(request, context) }
    addSynchronising(to: group)
  }

  /// Adds the routes by which stores synchronise, which sealed spaces have too.
  private func addSynchronising(to group: RouterGroup<some RequestContext>) {
    group.post("sealed") { request, context in
      await reply(request, context, .reader, isBlind: true, SyncRoutes.sealed)
    }
    group.post("compare") { request, context in
      await reply(request, context, .reader, isBlind: true, SyncRoutes.compare)
    }
    group.post("commits") { request, context in
      await reply(request, context, .writer, isBlind: true, SyncRoutes.take)
    }
    group.get("commits") { request, context in
      await stream(request, context, .reader, isBlind: true, SyncRoutes.arrivals)
    }
    group.post("want") { request, context in
      await stream(request, context, .reader, isBlind: true, SyncRoutes.want)
    }
    group.get("live") { request, context in
      await stream(request, context, isBlind: true) { call, lease in
        try live(call, lease)
      }
    }
  }

  private typealias Handler = @Sendable (Call, Space) async throws -> Response

  private static let readingRoutes: [(String, Handler)] = [
    ("entities/:id", ReadingRoutes.entity), ("entities/:id/history", ReadingRoutes.history),
    ("entities/:id/values/:key", ReadingRoutes.value),
    ("types", ReadingRoutes.types), ("types/:type", ReadingRoutes.entities),
    ("log", ReadingRoutes.log), ("diff", ReadingRoutes.diff),
    ("conflicts", ReadingRoutes.conflicts), ("issues", ReadingRoutes.issues),
  ]
}
#endif
