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
/// All are under `/v1`. `Documentation/Server.md` describes each.
public struct VarveRoutes: Sendable {
  let spaces: SpaceDirectory
  let access: Access
  let limits: ServerLimits
  let tickets = Tickets()
  let names: ServerNames
  private let books: QuotaBooks
  private let pulse: StreamPulse
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
    pulse = StreamPulse(every: .seconds(limits.heartbeatSeconds), access: access)
  }

  /// Adds the routes to a router or a group of one.
  public func add(to router: some RouterMethods) {
    let root = router.group("v1")
    // A path that has a route for another method does not reach that of all paths.
    for path in ["**", "", "spaces", "tickets", "enter"]
      + Self.spacePaths.map({ "spaces/:space\($0)" })
    {
      root.on(RouterPath(path), method: .options) { request, _ in names.preflight(request) }
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

  /// The paths of the routes of a space.
  private static var spacePaths: [String] {
    [""]
      + (readingRoutes.map(\.0) + [
        "operations", "compare", "commits", "want", "live", "changes", "backup", "webhooks",
      ]).map { "/\($0)" }
  }

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
        "withheld": .count(try await space.store.readableLog().withheldCommits().count),
        "parked": .array(space.refused.all.reversed().map(\.json)),
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

  /// `GET …/live`
  private func live(_ call: Call, _ lease: SpaceLease) throws -> Response {
    try call.allow()
    let permit = try permit(for: call)
    let (request, name) = (call.request, lease.space.name)
    let stream = LiveStream(lease: lease, pulse: pulse, expiry: call.principal.expiry) {
      try await call.review().require(.reader, in: name)
    }
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .buffering: "no"],
      body: stream.body(of: request, holding: permit)
    )
  }

  /// Counts a stream of the caller. Throws if there are too many.
  func permit(for call: Call) throws -> StreamPermit {
    guard
      let permit = StreamPermit.take(
        from: streams,
        atMost: limits.streamCount,
        of: call.principal.subject,
        atMost: limits.principalStreamCount
      )
    else { throw Self.tooManyStreams }
    return permit
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
    var response: Response
    do {
      response = try await handler(try await call(request, context))
    } catch {
      response = problem(of: error).response
    }
    return names.shared(Compression.compressed(response, for: request), with: request)
  }

  /// Returns the problem that an error is. If the home cannot be reached, that may end.
  private func problem(of error: any Error) -> Problem {
    var problem = Problem.of(error)
    guard spaces.homeShelf != nil, problem.code == VarveError.Code.inputOutput.rawValue else {
      return problem
    }
    problem.status = .serviceUnavailable
    problem.headers[.retryAfter] = "1"
    return problem
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
      let lease = try await spaces.take(name)
      try await call.bringUp(lease.space)
      return try await handler(call, lease)
    }
  }

  private func call(_ request: Request, _ context: some RequestContext) async throws -> Call {
    try names.require(request)
    guard (request.head.path?.utf8.count ?? 0) <= limits.targetByteCount else {
      throw Problem(
        .uriTooLong,
        "tooLarge",
        "the path and the query have more than \(limits.targetByteCount) bytes",
        remedy: "GET /v1 lists the limits."
      )
    }
    let caller = try await caller(of: request)
    let principal = caller.principal
    RequestNotes.current?.note(subject: principal.subject)
    var owners: [QuotaBooks.Owner] = [.principal(principal.subject ?? "")]
    // Only members use the quota of a space.
    if let name = context.parameters.get("space"), principal.role(in: name) != nil {
      owners.append(.space(name))
    }
    let tally = RequestTally(books, owners)
    try tally.admit()
    return try Call(request, context.parameters, caller, limits, tally)
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
        "principalStreams": .count(limits.principalStreamCount),
        "resumedCommits": .count(limits.resumedCommitCount),
        "eventEntities": .count(limits.eventEntityCount),
      ],
    ]
  }
}
