import HTTPTypes
public import Hummingbird
import HummingbirdCore
import Synchronization
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
/// All are under `/v1`. `Documentation/Server.md` describes each.
public struct VarveRoutes: Sendable {
  let spaces: SpaceDirectory
  let access: Access
  let limits: ServerLimits
  /// The names by which the server may be called; nil for any. A web page that was given another
  /// name for this computer cannot call it.
  private let hosts: Set<String>?
  let tickets = Tickets()
  let streams = StreamCount()

  /// Creates the routes.
  ///
  /// - Parameters:
  ///   - spaces: the spaces.
  ///   - access: who may call.
  ///   - limits: what a client may send.
  ///   - hosts: the names by which the server may be called, without ports; nil for any.
  public init(
    _ spaces: SpaceDirectory,
    access: Access,
    limits: ServerLimits = ServerLimits(),
    hosts: Set<String>? = nil
  ) {
    self.spaces = spaces
    self.access = access
    self.limits = limits
    self.hosts = hosts
  }

  /// Adds the routes to a router or a group of one.
  public func add(to router: some RouterMethods) {
    let root = router.group("v1")
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
      await reply(request, context, .reader, describe)
    }
    for (path, handler) in Self.readingRoutes {
      group.get(RouterPath(path)) { request, context in
        await reply(request, context, .reader, handler)
      }
    }
    addChanges(to: group)
    addBackup(to: group)
    addWebhooks(to: group)
    group.post("operations") { request, context in await operations(request, context) }
    group.post("compare") { request, context in
      await reply(request, context, .reader, SyncRoutes.compare)
    }
    group.post("commits") { request, context in
      await reply(request, context, .writer, SyncRoutes.take)
    }
    group.get("commits") { request, context in
      await stream(request, context, .reader, SyncRoutes.arrivals)
    }
    group.post("want") { request, context in
      await stream(request, context, .reader, SyncRoutes.want)
    }
    group.get("live") { request, context in
      await stream(request, context) { call, lease in
        guard let permit = StreamPermit.take(from: streams, atMost: limits.streamCount) else {
          throw Self.tooManyStreams
        }
        return try await SyncRoutes.live(call, lease, permit)
      }
    }
  }

  private typealias Handler = @Sendable (Call, Space) async throws -> Response

  private static let readingRoutes: [(String, Handler)] = [
    ("entities/:id", ReadingRoutes.entity), ("entities/:id/history", ReadingRoutes.history),
    ("types", ReadingRoutes.types), ("types/:type", ReadingRoutes.entities),
    ("log", ReadingRoutes.log), ("diff", ReadingRoutes.diff),
    ("conflicts", ReadingRoutes.conflicts), ("issues", ReadingRoutes.issues),
  ]

  // MARK: Spaces

  private func list(_ call: Call) async throws -> Response {
    try call.allow("cursor", "limit")
    let limit = try call.limit()
    var items: [JSON] = []
    var start = call.parameter("cursor")
    var hasMore = false
    while items.count < limit {
      let part = try await spaces.list(after: start, limit: limit)
      hasMore = part.count == limit
      start = part.last?.name.text
      for listing in part where items.count < limit {
        guard let role = call.principal.role(in: listing.name.text) else { continue }
        start = listing.name.text
        items.append([
          "name": .string(listing.name.text), "id": .string(listing.id.text),
          "role": .string(role.rawValue),
        ])
      }
      if !hasMore { break }
    }
    return Reply.document(["items": .array(items), "next": hasMore ? .optional(start) : .null])
  }

  private func describe(_ call: Call, _ space: Space) async throws -> Response {
    try call.allow()
    return try await Reply.tagged(try await space.tag(), call.request) {
      let end = try await space.end()
      return [
        "name": .string(space.name.text), "id": .string(space.id.text),
        "position": .string(end.text), "commits": .integer(end.position.number),
        "role": .optional(call.principal.role(in: space.name.text)?.rawValue),
        "frontier": try await space.store.frontier().json["frontier"] ?? .null,
      ]
    }
  }

  private func create(_ call: Call) async throws -> Response {
    try call.allow()
    let name = try call.spaceName()
    try call.principal.requireOperator()
    let (id, isNew) = try await spaces.create(name)
    return Reply.document(
      ["name": .string(name.text), "id": .string(id.text), "created": .bool(isNew)],
      status: isNew ? .created : .ok
    )
  }

  private func end(_ call: Call) async throws -> Response {
    try call.allow("id")
    let name = try call.spaceName()
    try call.principal.require(.admin, in: name)
    guard let id = call.parameter("id").flatMap({ SpaceID($0) }) else {
      throw VarveError(
        .invalidArgument,
        "the id of the space to end is missing",
        at: "query, id",
        remedy: "GET the space and name its id, so that no other is ended by mistake."
      )
    }
    let receipt = try await spaces.end(name, id: id, by: call.principal.subject)
    return Reply.document(receipt.json)
  }

  // MARK: Replying

  private func operations(_ request: Request, _ context: some RequestContext) async -> Response {
    await stream(request, context) { call, lease in
      try call.allow()
      try call.require(contentType: Reply.json, Reply.jsonLines, "application/jsonl")
      let type = request.headers[.contentType]?.split(separator: ";").first.map { $0.trimmed }
      guard type?.lowercased() == Reply.json else {
        return try OperationRoutes.stream(call, lease)
      }
      return try await OperationRoutes.run(call, lease.space)
    }
  }

  /// Replies to a request with the principal known.
  func reply(
    _ request: Request,
    _ context: some RequestContext,
    _ handler: @Sendable (Call) async throws -> Response
  ) async -> Response {
    do {
      return try await handler(try await call(request, context))
    } catch {
      return Problem.of(error).response
    }
  }

  /// Replies to a request about a space, for which a role in it is needed.
  private func reply(
    _ request: Request,
    _ context: some RequestContext,
    _ role: Role,
    _ handler: @Sendable (Call, Space) async throws -> Response
  ) async -> Response {
    await stream(request, context, role) { call, lease in try await handler(call, lease.space) }
  }

  /// Replies to a request about a space, which is open as long as the reply holds the lease.
  func stream(
    _ request: Request,
    _ context: some RequestContext,
    _ role: Role = .reader,
    _ handler: @Sendable (Call, SpaceLease) async throws -> Response
  ) async -> Response {
    await reply(request, context) { call in
      let name = try call.spaceName()
      try call.principal.require(role, in: name)
      return try await handler(call, try await spaces.take(name))
    }
  }

  private func call(_ request: Request, _ context: some RequestContext) async throws -> Call {
    try requireHost(request)
    guard (request.head.path?.utf8.count ?? 0) <= limits.targetByteCount else {
      throw Problem(
        .uriTooLong,
        "tooLarge",
        "the path and the query have more than \(limits.targetByteCount) bytes",
        remedy: "GET /v1 lists the limits."
      )
    }
    let principal = try await principal(of: request)
    return try Call(request, context.parameters, principal, limits)
  }

  /// Throws if the server was called by a name that is not its own, or by a page of another site.
  func requireHost(_ request: Request) throws {
    guard let hosts else { return }
    let named = request.head.authority.map(Self.host)
    guard let named, hosts.contains(named) else {
      throw Problem(
        .misdirectedRequest,
        "misdirected",
        "this server is not called \"\(named?.prefix(100).description ?? "")\"",
        remedy: "Call it by one of its names: \(hosts.sorted().joined(separator: ", "))."
      )
    }
    guard let origin = request.headers[.origin] else { return }
    let place = origin.split(separator: "/", omittingEmptySubsequences: true).last
    guard let place, String(place) == request.head.authority else {
      throw Problem(
        .forbidden,
        "forbidden",
        "pages of another site may not call this server",
        remedy: "Call it from its own pages, or without a browser."
      )
    }
  }

  /// Returns a host without its port.
  private static func host(_ authority: String) -> String {
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      return authority[...end].lowercased()
    }
    return (authority.split(separator: ":").first.map(String.init) ?? "").lowercased()
  }

  static var tooManyStreams: Problem {
    var problem = Problem(
      .serviceUnavailable,
      "busy",
      "too many streams are open",
      remedy: "Try again later, or ask for the position from time to time."
    )
    problem.headers[.retryAfter] = "5"
    return problem
  }

  /// The reply to `GET /v1`: what the server is, and what it accepts.
  private static func description(_ limits: ServerLimits) -> JSON {
    [
      "name": "varve", "version": "0.1.0", "protocol": ["from": 1, "to": 1],
      "commitFormat": .integer(Int64(CommitHeader.formatVersion)),
      "operations": .array(OperationRunner.operationNames.sorted().map { .string($0) }),
      "limits": [
        "body": .count(limits.bodyByteCount), "line": .count(limits.lineByteCount),
        "depth": .count(JSONReader.maximumDepth), "headers": .count(limits.headerByteCount),
        "target": .count(limits.targetByteCount), "commits": .count(limits.commitsByteCount),
        "page": .count(limits.pageCount), "idleSeconds": .count(limits.idleSeconds),
        "streams": .count(limits.streamCount),
        "resumedCommits": .count(limits.resumedCommitCount),
        "eventEntities": .count(limits.eventEntityCount),
      ],
    ]
  }
}

/// The number of long streams that are open.
final class StreamCount: Sendable {
  fileprivate let count = Mutex(0)
}

/// A long stream that is open as long as this object lives.
final class StreamPermit: Sendable {
  private let streams: StreamCount

  private init(_ streams: StreamCount) { self.streams = streams }

  /// Counts a stream; nil if there are too many.
  static func take(from streams: StreamCount, atMost limit: Int) -> StreamPermit? {
    let isPermitted = streams.count.withLock { count in
      guard count < limit else { return false }
      count += 1
      return true
    }
    return isPermitted ? StreamPermit(streams) : nil
  }

  deinit { streams.count.withLock { $0 -= 1 } }
}
