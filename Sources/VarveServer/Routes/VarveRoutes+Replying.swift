#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import VarveCore
import VarveJSON
import VarveStore

/// How requests become calls, and errors problems.
extension VarveRoutes {
  func operations(_ request: Request, _ context: some RequestContext) async -> Response {
    await stream(request, context) { call, lease in
      try call.allow(honouring: [.ifMatch])
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
      response = problem(of: error, in: context.parameters.get("space")).response
    }
    return names.shared(Compression.compressed(response, for: request), with: request)
  }

  /// Returns the problem that an error is. If the home cannot be reached, that may end.
  private func problem(of error: any Error, in space: String?) -> Problem {
    var problem = cover.covered(Problem.of(error), in: space)
    // A client of the server cannot open a store.
    if problem.code == VarveError.Code.closed.rawValue { problem.remedy = "Try again soon." }
    guard spaces.homeShelf != nil, problem.code == VarveError.Code.inputOutput.rawValue else {
      return problem
    }
    problem.status = .serviceUnavailable
    problem.headers[.retryAfter] = "1"
    return problem
  }

  /// Replies to a request about a space, for which a role in it is needed.
  ///
  /// - Parameter isBlind: whether the request needs nothing of what is in the space. Others are refused
  ///   if the space is sealed.
  func reply(
    _ request: Request,
    _ context: some RequestContext,
    _ role: Role,
    isBlind: Bool = false,
    _ handler: @Sendable (Call, Space) async throws -> Response
  ) async -> Response {
    await stream(request, context, role, isBlind: isBlind) { call, lease in
      try await handler(call, lease.space)
    }
  }

  /// Replies to a request about a space, which is open as long as the reply holds the lease.
  func stream(
    _ request: Request,
    _ context: some RequestContext,
    _ role: Role = .reader,
    isBlind: Bool = false,
    _ handler: @Sendable (Call, SpaceLease) async throws -> Response
  ) async -> Response {
    await reply(request, context) { call in
      let name = try call.spaceName()
      // Strangers do not make the server open a space.
      try call.principal.requirePossible(role, in: name)
      let lease = try await spaces.take(name)
      try call.principal.require(role, in: name, lease.space.id)
      if !isBlind { try lease.space.requireReadable() }
      do {
        // A writer destroys nothing of others, whichever way they write.
        return try await LogCaller.$current.withValue(call.principal.logCaller(in: lease.space)) {
          try await call.bringUp(lease.space)
          return try await handler(call, lease)
        }
      } catch  where Self.mayHaveEnded(error) {
        throw await spaces.hasEnded(lease.space) ? spaces.missing(name) : error
      }
    }
  }

  /// Whether a request may have failed because its space has ended meanwhile.
  private static func mayHaveEnded(_ error: any Error) -> Bool {
    let problem = Problem.of(error)
    // The file of an ended space is gone, which may be found out in the middle of a write.
    let codes: [VarveError.Code] = [.closed, .inputOutput]
    return problem.status == .notFound || codes.contains { $0.rawValue == problem.code }
  }

  private func call(_ request: Request, _ context: some RequestContext) async throws -> Call {
    try names.require(request)
    guard (request.head.path?.utf8.count ?? 0) <= limits.targetByteCount else {
      throw Problem.longTarget
    }
    let caller = try await caller(of: request)
    let principal = caller.principal
    RequestNotes.current?.note(subject: principal.subject)
    var owners: [QuotaBooks.Owner] = [.principal(principal.account ?? "")]
    // Only members use the quota of a space.
    if let name = context.parameters.get("space"), principal.role(inAnySpaceNamed: name) != nil {
      owners.append(.space(name))
    }
    let tally = RequestTally(books, owners)
    try tally.admit()
    guard limits.permitBody(of: request.head) else { throw Problem.tooLarge }
    let hosted = context as? HostedContext
    let hasLeft: @Sendable () async -> Bool
    if let hosted {
      hasLeft = hosted.hasLeft
    } else {
      let departure = context as? any DepartureContext
      hasLeft = { await departure?.hasLeft() ?? false }
    }
    // A share of a caller who stands for everyone would protect no other.
    let subject = access.isOpen ? nil : principal.account ?? ""
    let work = RequestWork(
      limits: limits,
      turns: turns,
      subject: subject,
      space: context.parameters.get("space"),
      cover: cover,
      hasLeft: hasLeft,
      // The body of a request that another framework read does not say when the connection closes.
      mustAskWhetherLeft: hosted != nil
    )
    return try Call(request, context.parameters, caller, limits, tally, work)
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
  static func description(_ limits: ServerLimits) -> JSON {
    [
      "name": "varve", "version": .string(VarveVersion.text), "protocol": ["from": 1, "to": 1],
      "commitFormat": .integer(Int64(CommitHeader.formatVersion)),
      "operations": .array(OperationRunner.operationNames.sorted().map { .string($0) }),
      "limits": [
        "body": .count(limits.bodyByteCount), "line": .count(limits.lineByteCount),
        "depth": .count(JSONReader.maximumDepth), "headers": .count(limits.headerByteCount),
        "target": .count(limits.targetByteCount), "commits": .count(limits.commitsByteCount),
        "page": .count(limits.pageCount), "idleSeconds": .count(limits.idleSeconds),
        "requestSeconds": .count(limits.requestSeconds), "result": .count(limits.resultByteCount),
        "queryMemory": .count(limits.queryMemoryByteCount),
        "sql": .count(ReadBounds.statementByteCount),
        "principalRequests": .count(limits.principalRequestCount),
        "streams": .count(limits.streamCount),
        "principalStreams": .count(limits.principalStreamCount),
        "resumedCommits": .count(limits.resumedCommitCount),
        "eventEntities": .count(limits.eventEntityCount),
      ],
    ]
  }
}
#endif
